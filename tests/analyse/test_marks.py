"""Rows of phases by kind and process."""

from __future__ import annotations

from longpole.analyse.marks import by_process, holding, in_order, known, numbers, of_kind
from longpole.model.columns import integers, texts
from tests.analyse.traced import Traced, phases


def test_rows_are_marked_by_kind() -> None:
    table = phases(Traced("kernel", 0, 1), Traced("step", 0, 1), Traced("memcpy", 0, 1))

    assert of_kind(table, "kernel", "memcpy").tolist() == [True, False, True]
    assert of_kind(phases(), "kernel").tolist() == []


def test_what_is_not_known_holds_nothing() -> None:
    column = texts(["a", None, ""])

    assert holding(column, lambda word: word == "").tolist() == [False, False, True]
    assert known(column).tolist() == [True, False, True]
    assert numbers(integers([4, None]), unknown=9).tolist() == [4, 9]


def test_rows_of_a_process_keep_their_order() -> None:
    table = phases(*(Traced("step", 0, 1, process=number) for number in (2, 1, 2, 1)))

    assert [(owner, rows.tolist()) for owner, rows in by_process(table)] == [(1, [1, 3]), (2, [0, 2])]
    assert list(by_process(phases())) == []


def test_processes_go_by_rank_and_those_without_one_come_last() -> None:
    assert in_order([1, 2, 3, 4], {1: None, 2: 1, 3: 0}) == [3, 2, 1, 4]
