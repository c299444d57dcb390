"""The plain table of several settings: their times, and what they used."""

from __future__ import annotations

from typing import Any

from longpole.analyse.tables.build import build_table
from longpole.model.result_table import Gap, Like
from tests.analyse.tables.results import cell, kind, result, use

COMMAND: dict[str, Any] = {
    "workflow": "",
    "placement": "",
    "parameters": {},
    "tasks": 0,
    "stage_in_s": None,
    "stage_out_s": None,
    "queue_s": None,
    "reasons": dict.fromkeys(("stage_in_s", "stage_out_s", "queue_s"), "nothing tells of it"),
}


def test_each_setting_has_a_row_with_the_times_that_placements_are_compared_by():
    runs = [result("a", seconds=10.0), result("b", seconds=14.0), result("c", "clustering", 8.0)]

    table = build_table(Like.PLAIN, runs)

    assert [row.name for row in table.rows] == ["galaxy, baseline", "galaxy, clustering"]
    mean, sd = cell(table, "galaxy, baseline", "end_to_end_s")
    assert (mean, round(sd or 0.0, 3)) == (12.0, 2.828)
    assert cell(table, "galaxy, baseline", "compute_s")[0] == 24.0
    assert cell(table, "galaxy, clustering", "stage_in_s") == (1.0, None)
    assert cell(table, "galaxy, clustering", "n") == (1.0, None)
    assert table.runs == ("a", "b", "c")


def test_equal_repeats_have_a_deviation_of_nought_and_one_run_has_none():
    runs = [result("a", seconds=10.0), result("b", seconds=10.0), result("c", "clustering", 8.0)]

    table = build_table(Like.PLAIN, runs)

    assert cell(table, "galaxy, baseline", "end_to_end_s") == (10.0, 0.0)
    assert cell(table, "galaxy, clustering", "end_to_end_s") == (8.0, None)


def test_commands_alone_have_no_columns_of_parts_that_no_command_has():
    runs = [result(name, name=name, use=use(kind("x"), unit="command"), **COMMAND) for name in ("a", "b")]

    table = build_table(Like.PLAIN, runs)

    assert [heading.name for heading in table.headings][:2] == ["end_to_end_s", "tasks"]


def test_a_command_beside_a_workflow_says_why_it_has_no_staging():
    table = build_table(Like.PLAIN, [result("a"), result("b", name="b", **COMMAND)])

    assert cell(table, "b", "stage_in_s") == (None, None)
    assert Gap(("stage in", "stage out", "in queue"), "nothing tells of it") in table.gaps
    assert Gap(("tasks",), "a plain command has no tasks") in table.gaps
