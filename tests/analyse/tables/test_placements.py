"""The table like the paper's II: Galaxy as the spec counts it, by hand."""

from __future__ import annotations

from longpole.analyse.tables.build import build_table
from longpole.model.result_table import Gap, Like
from longpole.model.run_outline import RunOutline
from tests.analyse.tables.results import cell, result


def test_placements_of_a_workflow_stand_below_each_other():
    baseline = RunOutline(11, 12, 8, 111_952, 111_952, 9_000_000_000, 40_000, 800_000_000)
    clustering = RunOutline(1, 4, 24, 28_803, 28_803, 400_000_000, 7, 600_000)

    table = build_table(
        Like.II, [result("a", outline=baseline), result("b", "clustering", outline=clustering)]
    )

    assert [(row.section, row.name) for row in table.rows] == [
        ("galaxy", "baseline"),
        ("galaxy", "clustering"),
    ]
    counts = ("jobs", "auxiliary_jobs", "connections", "files_staged_in")
    assert [cell(table, "baseline", name)[0] for name in counts] == [11, 12, 8, 111_952]
    assert [cell(table, "clustering", name)[0] for name in counts] == [1, 4, 24, 28_803]


def test_a_run_of_which_no_plan_is_known_says_why():
    outline = RunOutline(3, reasons={"files_staged_in": "the driver did not tell"})

    table = build_table(Like.II, [result("a", outline=outline)])

    assert cell(table, "baseline", "files_staged_in") == (None, None)
    assert Gap(("files staged in",), "the driver did not tell") in table.gaps
