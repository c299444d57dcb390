"""The table like the paper's IV: sums and peaks over jobs, inputs and hours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.tables.build import build_table
from longpole.model.result_table import Like
from longpole.model.run_outline import RunOutline
from tests.analyse.tables.results import cell, kind, result, use

OUTLINE = RunOutline(
    jobs=11, auxiliary_jobs=12, input_files=28_793, input_bytes=374_000_000, cpu_h=33.23, gpu_h=1.93
)
UNKNOWN = {"written_bytes": None, "reasons": {"written_bytes": "nobody told"}}


def test_a_workflow_is_the_sum_of_its_jobs_and_its_largest_one():
    jobs = use(
        kind("hpo", read_bytes=2_900_000_000, peak_memory_bytes=41_190_000_000),
        kind("train", read_bytes=1_755_000_000, peak_memory_bytes=18_800_000_000),
    )

    table = build_table(Like.IV, [result("a", use=jobs, outline=OUTLINE)])

    row = "galaxy, baseline"
    assert cell(table, row, "read_bytes")[0] == 4_655_000_000
    assert cell(table, row, "peak_memory_bytes")[0] == 41_190_000_000
    assert [cell(table, row, name)[0] for name in ("input_files", "cpu_h", "gpu_h")] == [28_793, 33.23, 1.93]
    assert any("1,024 MB" in note for note in table.notes)


def test_a_kind_of_which_one_repeat_knows_nothing_is_named_as_well():
    whole, part = use(kind("cut"), kind("join")), use(kind("cut"), kind("join", **UNKNOWN))

    table = build_table(Like.IV, [result("a", use=whole), result("b", use=part)])

    said = "galaxy, baseline: written has nothing of 1 of 2 kinds of job (join): that is not known."
    assert said in table.notes


def test_a_kind_of_which_nothing_is_known_is_named_as_not_in_the_sum():
    table = build_table(Like.IV, [result("a", use=use(kind("cut"), kind("join", **UNKNOWN)))])

    assert cell(table, "galaxy, baseline", "written_bytes")[0] == 5_000_000
    said = "galaxy, baseline: written has nothing of 1 of 2 kinds of job (join): that is not known."
    assert said in table.notes


def test_a_kind_of_which_some_executions_are_not_known_is_named():
    jobs = use(kind("cut"), kind("join", partial={"written_bytes": 2}))

    table = build_table(Like.IV, [result("a", use=jobs)])

    said = "written has some jobs only of 1 of 2 kinds of job (join): it is more than is said."
    assert f"galaxy, baseline: {said}" in table.notes


def test_a_sum_of_which_nothing_is_known_is_missing():
    table = build_table(Like.IV, [result("a", use=use(kind("join", **UNKNOWN)))])

    assert cell(table, "galaxy, baseline", "written_bytes") == (None, None)
    assert any(gap.columns == ("written",) and gap.reason == "nobody told" for gap in table.gaps)


@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=10))
def test_sums_of_the_table_of_workflows_are_those_of_the_table_of_jobs(sizes: list[int]):
    kinds = [kind(f"k{at}", read_bytes=size) for at, size in enumerate(sizes)]
    results = [result("a", use=use(*kinds))]

    jobs, workflows = build_table(Like.III, results), build_table(Like.IV, results)

    each = [cell(jobs, one.name, "read_bytes")[0] for one in kinds]
    assert cell(workflows, "galaxy, baseline", "read_bytes")[0] == sum(map(float, sizes)) == sum(each)  # type: ignore[arg-type]
