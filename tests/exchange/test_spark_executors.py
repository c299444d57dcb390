"""Executors of Spark: processes on hosts, with as many cores as there were at once."""

from __future__ import annotations

from tests.exchange.sparklog import began, event, simple, told
from tests.exchange.told_rows import phases, rows


def test_executor_is_a_process_whose_lanes_are_what_overlaps() -> None:
    tale = told()

    [process], [host] = rows(tale, "processes"), rows(tale, "hosts")
    assert (process["name"], process["start_ns"], process["end_ns"]) == ("executor 1", 1005 * 1_000_000, None)
    assert (host["name"], host["cores"]) == ("n1", 2)
    assert [(row["process"], row["lane"]) for row in phases(tale, "exec")] == [(1, 0), (1, 1), (1, 0)]


def test_cores_of_a_host_are_those_at_one_moment() -> None:
    def executor(name: str, at: int) -> str:
        return event(
            "ExecutorAdded", Timestamp=at, Executor_ID=name, Executor_Info={"Host": "n1", "Total Cores": 4}
        )

    gone = event("ExecutorRemoved", Timestamp=1200, Executor_ID="2", Removed_Reason="idle")
    tale = told([*began(), executor("2", 1100), gone, executor("3", 1300)])

    assert [row["cores"] for row in rows(tale, "hosts")] == [6]
    assert [row["end_ns"] for row in rows(tale, "processes")] == [None, 1200 * 1_000_000, None]


def test_executor_that_was_never_announced_is_known_from_its_task() -> None:
    lines = [line for line in simple() if "ExecutorAdded" not in line]

    [process] = rows(told(lines), "processes")
    assert (process["name"], process["start_ns"]) == ("executor 1", None)
