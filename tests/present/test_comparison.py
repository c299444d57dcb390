from __future__ import annotations

import io
from dataclasses import replace

import pytest

from longpole.model.comparison import Comparison, LeftOutRun
from longpole.present.comparison import show_comparison
from longpole.present.terminal import terminal
from tests.present.comparisons import ALL, ALONE, COMMANDS, PLACEMENTS


def shown(comparison: Comparison, width: int = 80, **options: object) -> str:
    stream = io.StringIO()
    console = terminal(stream)
    console.width = width
    show_comparison(comparison, console, **options)  # type: ignore[arg-type]
    return stream.getvalue()


def test_a_comparison_of_placements_reads_like_this() -> None:
    lines = shown(PLACEMENTS).splitlines()

    assert lines[1].startswith(" tiles, by placement")
    assert lines[1].endswith("50 runs")
    assert lines[2] == " against 'baseline', 98 % confidence, in turns, drift of 0.4 % taken out"
    heads = [line for line in lines if line.rstrip().endswith("98 % interval")]
    assert [head.split("  ")[0].strip() for head in heads] == [
        "End to end",
        "Compute",
        "Stage in",
        "Stage out",
    ]
    rows = [line for line in lines if line.startswith(" clustering ")]
    assert len(rows) == 4
    assert "*" in rows[0]
    assert " * shown to differ" in lines


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    assert all(len(line) <= width for line in shown(ALL[name], width).splitlines())


def test_one_group_has_no_columns_of_change() -> None:
    text = shown(ALONE)

    assert "interval" not in text
    assert "against" not in text


def test_runs_left_out_and_doubts_are_told_and_long_lists_cut() -> None:
    left_out = tuple(LeftOutRun(f"{at:08x}", "after", "1 job failed") for at in range(5))
    doubtful = replace(COMMANDS, left_out=left_out, doubts=("The runs were made on 2 machines.",))

    text, everything = shown(doubtful), shown(doubtful, everything=True)

    assert "3 of 5 shown; --all tells the rest." in text
    assert "run 00000004 of 'after': 1 job failed." in everything
    assert "Doubts" in text
    assert "The runs were made on 2 machines." in text


def test_what_to_type_next_comes_last() -> None:
    assert "Next       longpole table x" in shown(COMMANDS, following=("longpole table x",))
