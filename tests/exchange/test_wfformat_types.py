"""Types of tasks: what users would call them."""

from __future__ import annotations

import pytest

from longpole.exchange.wfformat_types import types_of


@pytest.mark.parametrize(
    ("names", "types"),
    [
        (["mProject_ID0000002"], ["mProject"]),
        (["individuals_merge_ID0000011"], ["individuals_merge"]),
        (["blastall_00000032"], ["blastall"]),
        (["FASTQC (sample 1)", "FASTQC (sample 2)"], ["FASTQC", "FASTQC"]),
        (["A.B.GTF2BED", "A.B.DESEQ2_QC"], ["A.B.GTF2BED", "A.B.DESEQ2_QC"]),
        (["task1", "task2", "sha256"], ["task", "task", "sha256"]),
        (["sha256", "sha256"], ["sha256", "sha256"]),
        (["GRID12"], ["GRID12"]),
        (["ID0000001", "17", ""], ["task", "task", "task"]),
        (["train"], ["train"]),
    ],
)
def test_name_without_its_number_is_the_type(names: list[str], types: list[str]) -> None:
    assert types_of(names, [None] * len(names), [None] * len(names)) == types


def test_category_comes_before_program_before_name() -> None:
    names = ["a_1", "b_run_1", "c_1", "d1", "d2"]

    found = types_of(names, ["kind 1", None, None, None, None], ["x", "b", None, None, None])

    assert found == ["kind 1", "b", "c", "d", "d"]


def test_given_word_keeps_its_number() -> None:
    assert types_of(["x", "y"], ["chr21", "chr22"], [None, None]) == ["chr21", "chr22"]
