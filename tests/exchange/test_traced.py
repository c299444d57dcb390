"""Intervals of traced processes as rows of a run."""

from __future__ import annotations

import numpy as np

from longpole.exchange.traced import UNKNOWN, Intervals, TracedProcess, tables_of


def part(process: int, *rows: tuple[int, int], nested: bool = True) -> Intervals:
    count = len(rows)
    return Intervals(
        kinds=["phase"] * count,
        names=[f"{start}" for start, _ in rows],
        processes=np.full(count, process, np.int64),
        lanes=np.zeros(count, np.int64),
        devices=np.full(count, UNKNOWN, np.int64),
        starts=np.array([start for start, _ in rows], np.int64),
        ends=np.array([end for _, end in rows], np.int64),
        nested=np.full(count, nested, np.bool_),
        attributes=[None] * count,
        launches=np.array([[0, count - 1]], np.int64),
    )


def test_intervals_of_all_parts_follow_their_processes() -> None:
    processes = [TracedProcess("a", host="one"), TracedProcess("b", host="two", rank=1)]
    tables = tables_of(processes, [part(1, (0, 9), (2, 5)), part(2, (20, 30), (25, 40), nested=False)])

    found = [(row["id"], row["parent"], row["start_ns"], row["end_ns"]) for row in tables["phases"].records()]
    assert found == [
        (1, None, 0, 9),
        (2, None, 20, 40),
        (3, 1, 0, 9),
        (4, 3, 2, 5),
        (5, 2, 20, 30),
        (6, 2, 25, 40),
    ]
    edges = [(row["from_phase"], row["to_phase"]) for row in tables["edges"].records()]
    assert edges == [(3, 4), (5, 6)]
    assert list(tables["hosts"]["name"]) == ["one", "two"]
    assert list(tables["processes"]["host"]) == [1, 2]
    assert list(tables["processes"]["end_ns"]) == [9, 40]


def test_what_has_not_ended_encloses_what_came_after() -> None:
    rows = list(tables_of([TracedProcess("a")], [part(1, (0, UNKNOWN), (2, 5))])["phases"].records())

    assert [(row["end_ns"], row["duration_ns"], row["status"]) for row in rows] == [
        (5, 5, "ok"),
        (None, None, "unfinished"),
        (5, 3, "ok"),
    ]
    assert rows[2]["parent"] == rows[1]["id"]
