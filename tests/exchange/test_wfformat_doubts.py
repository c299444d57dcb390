"""What an instance does not tell is said."""

from __future__ import annotations

import pytest

from longpole.exchange.wfformat_doubts import NO_EXECUTION, NO_STARTS
from tests.exchange.wfformat_instances import document, phases, rows, told, told_of


def ran(task: str, second: int | None = None, runtime: float = 3.0) -> dict[str, object]:
    start = {} if second is None else {"executedAt": f"2026-11-01T00:00:{second:02d}Z"}
    return {"id": task, "runtimeInSeconds": runtime, **start}


def test_tasks_without_starts_have_bounds_only() -> None:
    assert told(document({"a": [], "b": ["a"]})).gaps == (NO_STARTS,)


def test_some_starts_are_told_and_the_others_counted() -> None:
    tale = told(document({"a": [], "b": ["a"]}, tasks=[ran("a", 1), ran("b")]))

    assert tale.gaps == ("When 1 of 2 tasks began is not known.",)


def test_starts_that_dependencies_contradict_are_left_out() -> None:
    # Some writers put the moment at which they made the file.
    tasks = [ran("a", 1), ran("b", 1), ran("c", 1)]

    tale = told(document({"a": [], "b": ["a"], "c": ["b"]}, tasks=tasks))

    assert [row["start_ns"] for row in phases(tale, "exec")] == [None] * 3
    assert tale.gaps == (
        "Of 2 dependencies 2 begin before what they need has ended: start times of tasks were left out.",
        NO_STARTS,
    )


def test_starts_rounded_to_seconds_are_believed() -> None:
    tasks = [ran("a", 1, 2.9), ran("b", 3), ran("c", 6)]

    tale = told(document({"a": [], "b": ["a"], "c": ["b"]}, tasks=tasks))

    assert all(row["start_ns"] for row in phases(tale, "exec"))
    assert tale.gaps == ()


def test_workflow_that_was_not_executed_has_tasks_and_no_times() -> None:
    made = document({"a": [], "b": ["a"]})
    del made["workflow"]["execution"]

    tale = told(made)

    assert [row["outcome"] for row in rows(tale, "tasks")] == ["never", "never"]
    assert (rows(tale, "phases"), len(rows(tale, "edges")), tale.gaps) == ([], 1, (NO_EXECUTION,))


def test_task_without_a_runtime_did_not_run() -> None:
    tale = told(document({"a": [], "b": ["a"]}, tasks=[ran("a", 1), {"id": "b"}]))

    assert [row["outcome"] for row in rows(tale, "tasks")] == ["ran", "never"]
    assert len(phases(tale, "exec")) == 1
    assert tale.gaps == ("1 of 2 tasks have no runtime: they did not run, or untold.",)


def test_makespan_of_zero_was_not_recorded() -> None:
    tale = told(document({"a": []}, makespanInSeconds=0, tasks=[ran("a", 1)]))

    assert [row["duration_ns"] for row in phases(tale, "workflow")] == [None]
    assert tale.gaps == ("The makespan is given as 0: it was not recorded.",)


@pytest.mark.parametrize(("text", "said"), [("soon", "'soon'"), ("2026-11-01T00:00:00", "no time zone")])
def test_begin_that_is_not_clear_is_said(text: str, said: str) -> None:
    tale = told(document({"a": []}, executedAt=text, tasks=[ran("a", 1)]))

    [gap] = tale.gaps
    assert said in gap


def test_runtimes_of_zero_are_counted() -> None:
    tale = told_of("rnaseq-dirt02-001")

    zeros = sum(row["duration_ns"] == 0 for row in phases(tale, "exec"))
    assert zeros > 0
    assert any(gap.startswith(f"{zeros} of 197 tasks have a runtime of 0") for gap in tale.gaps)


def test_sizes_and_counters_that_are_far_apart_are_both_told() -> None:
    read, written = told_of("blast-chameleon-large-001").gaps[1:]

    assert read.startswith("Files read by tasks have 512 GB, counters of tasks say 3.38 GB")
    assert written.startswith("Files written by tasks have 1.36 MB, counters of tasks say 2.63 GB")
