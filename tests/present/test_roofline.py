from __future__ import annotations

import io
from dataclasses import replace

import pytest

from longpole.present.roofline import show_roofline
from longpole.present.terminal import terminal
from tests.present.rooflines import ALL, BGW_64, FIGURE_1, GPTUNE, LCLS


def shown(view, width=80, encoding="utf-8", **more):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = terminal(stream)
    console.width = width
    show_roofline(view, console, **more)
    stream.seek(0)
    return stream.read()


def row(text, begin):
    return next(line.split() for line in text.splitlines() if line.strip().startswith(begin))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("name", ALL)
def test_page_fits_the_terminal(name: str, width: int, encoding: str) -> None:
    assert max(map(len, shown(ALL[name], width, encoding).splitlines())) <= width


def test_headline_names_workflow_machine_and_what_a_task_is() -> None:
    lines = shown(LCLS).splitlines()

    assert lines[1].split() == ["LCLS", "on", "Cori", "Haswell"]
    assert lines[2].startswith(" 6 tasks, 5 at once, 2 levels; a task is a parallel application")


def test_ceilings_are_listed_with_the_bound_marked() -> None:
    text = shown(LCLS)

    assert row(text, "> A external link")[-6:] == ["system", "16", "min", "40", "s", "0.006", "0.0012"][1:]
    assert row(text, "D memory bandwidth")[-6:] == ["node", "256", "ms", "248", "ms", "23.5"]
    assert "external link, critical path, burst buffer, memory bandwidth: nominal" in text


def test_a_spread_has_a_column_where_there_is_one() -> None:
    measured = tuple(replace(one, spread=0.07) for one in BGW_64.ceilings[:1]) + BGW_64.ceilings[1:]

    assert "off by" not in shown(BGW_64)
    assert row(shown(replace(BGW_64, ceilings=measured)), "> A FLOPs")[-3:] == ["±", "7", "%"]


def test_tasks_are_grouped_by_dot_and_breakdowns_have_bars() -> None:
    text = shown(LCLS)

    assert " good day\n   analyse" in text
    assert row(text, "loading")[-2:] == ["98", "%"]
    assert "Makespan of bad day" in text


def test_tasks_nobody_measured_have_no_columns_for_it() -> None:
    planned = tuple(replace(one, seconds=None, efficiency=None, share=None) for one in BGW_64.task_view)

    assert "each took" in shown(BGW_64)
    assert "each took" not in shown(replace(BGW_64, task_view=planned))


def test_sentences_are_numbered_and_notes_follow() -> None:
    text = shown(replace(BGW_64, notes=("A 10 times faster node changes nothing.",)))

    assert " 1. Bound by FLOPs" in text
    assert " 6. A 10 times faster node changes nothing." in text


def test_limits_are_cut_unless_everything_is_wanted() -> None:
    many = replace(GPTUNE, limits=tuple(f"Limit number {at}." for at in range(9)))

    assert "3 of 9 shown; --all tells the rest." in shown(many)
    assert "Limit number 8." in shown(many, everything=True)


def test_what_a_file_says_is_no_command_to_the_terminal() -> None:
    text = shown(replace(FIGURE_1, name="red \x1b[31m", task="x\ny"))

    assert "\x1b" not in text
    assert "a task is x y" in text
