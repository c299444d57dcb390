from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from longpole.present.steps import stacked_bar
from tests.present.samples import shown, step_use

PARTS = ("data", "forward", "backward", "optimizer", "checkpoint", "other")
SECONDS: dict[str, Any] = {
    "data_s": 0.1,
    "forward_s": 0.5,
    "backward_s": 0.0,
    "optimizer_s": 0.0,
    "other_s": 0.02,
}
INFERENCE = replace(step_use(kind="inference", count=200), **SECONDS)
UNKNOWN: dict[str, Any] = {f"{part}_s": None for part in PARTS}


def ranks(number, **facts):
    return tuple(step_use(rank, mean_s=0.006 + rank / 1e4, **facts) for rank in range(number))


def lines_of(text, title):
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if title in line)
    return lines[first : first + lines[first:].index("")]


def test_steps_are_a_table_with_a_bar_and_what_it_means():
    head, row, legend, reading = lines_of(shown(steps=(step_use(),)), "Training steps")

    assert head.split() == ["Training", "steps", "steps", "mean", "p95"]
    assert row.split() == [
        "step",
        "░" * 8 + "▒" * 8 + "▓" * 13 + "█" * 2 + "·",
        "1,000",
        "6",
        "ms",
        "7.4",
        "ms",
    ]
    assert legend.split("   ") == [
        *(" ░ data 25 %", "▒ forward 25 %", "▓ backward 40 %", "█ optimizer 7 %", "· other 3 %")
    ]
    assert reading == " 25 % of step time waited for data"


def test_every_rank_has_a_row():
    rows = lines_of(shown(steps=ranks(4)), "Training steps")[1:5]

    assert [row.split()[:2] for row in rows] == [["rank", str(rank)] for rank in range(4)]


def test_ranks_that_are_not_shown_are_counted_and_the_slowest_is_named():
    text = shown(steps=ranks(64))

    assert "8 of 64 ranks shown; --all lists every one" in text
    assert "means from 6 ms (rank 0) to 12.3 ms (rank 63)" in text
    assert "rank 8 " not in text
    assert text.count("░") > 8
    assert "rank 42 " in shown(steps=ranks(64), most_rows=None)


def test_processes_without_a_rank_are_told_by_their_pid():
    uses = tuple(step_use(process=at, pid=pid) for at, pid in enumerate([4711, 4712, None]))

    rows = lines_of(shown(steps=uses), "Training steps")[1:4]

    assert [row.split("  ")[0] for row in rows] == [" pid 4711", " pid 4712", " an unknown process"]


def test_steps_that_the_user_has_named_keep_their_name():
    text = shown(steps=(step_use(), step_use(name="fold"), step_use(2, name="fold")))

    assert "\n fold, pid 4000 " in text
    assert "\n fold, rank 2 " in text


def test_rows_of_one_process_are_not_called_processes():
    uses = tuple(step_use(name=f"fold {at}") for at in range(9))

    assert "8 of 9 rows shown" in shown(steps=uses)


def test_inference_has_a_table_of_its_own():
    text = shown(steps=(step_use(), INFERENCE))

    _, row, legend = lines_of(text, "Inference steps")
    assert row.split()[0] == "Net"
    assert legend == " ░ data 16 %   ▒ forward 81 %   · other 3 %"
    assert text.index("Training steps") < text.index("Inference steps") < text.index("Time by phase")


def test_steps_of_unknown_parts_have_no_bar_and_no_reading():
    unknown = replace(step_use(p95_s=None), **UNKNOWN)

    _, row = lines_of(shown(steps=(unknown,)), "Training steps")

    assert row.split() == ["step", "1,000", "6", "ms", "?"]


def test_a_part_that_is_small_is_still_named():
    text = shown(steps=(step_use(checkpoint_s=0.001),))

    assert "▚ checkpoint <1 %" in text


def test_little_waiting_is_not_worth_a_sentence():
    assert "waited" not in shown(steps=(step_use(data_s=0.1),))
    assert "of step time went into checkpoints" in shown(steps=(step_use(data_s=0.1, checkpoint_s=2.0),))


def test_a_run_without_steps_has_no_table_of_them():
    assert " steps" not in shown()


@pytest.mark.parametrize("width", [40, 50, 80, 100])
def test_no_line_is_wider_than_the_terminal(width):
    long = step_use(3, name="a name that goes on " * 20, count=10**9, mean_s=12345.6, p95_s=1e-9)

    text = shown(width, steps=(*ranks(30), long, INFERENCE))

    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_letters_stand_for_parts_where_blocks_cannot_be_drawn():
    text = shown(encoding="ascii", steps=(step_use(),))

    assert "ddddddddffffffffbbbbbbbbbbbbboo." in text
    assert "d data 25 %   f forward 25 %" in text


def test_a_name_from_a_stranger_cannot_steer_the_terminal():
    text = shown(steps=(step_use(name="\x1b[31mred\x07\r\nnext\u202e"),) * 9)

    assert not set("\x1b\x07\r\u202e") & set(text)


@given(st.lists(st.floats(0, 1e9), min_size=6, max_size=6), st.integers(1, 100))
def test_a_bar_is_as_wide_as_asked_and_never_far_from_its_shares(seconds, width):
    parts = dict(zip(PARTS, seconds, strict=True))

    drawn = stacked_bar(parts, width, "ascii")

    assert len(drawn) == (width if sum(seconds) else 0)
    for part, mark in zip(PARTS, "dfboc.", strict=True):
        assert not drawn or abs(drawn.count(mark) - width * parts[part] / sum(seconds)) <= 1
