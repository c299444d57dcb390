"""Tasks of Spark: partitions of stages, what each waited for, its tries and what they used."""

from __future__ import annotations

from tests.exchange.sparklog import began, simple, stage, task, told
from tests.exchange.told_rows import facts, phases, rows, times_ms, used


def test_task_waits_from_the_submission_of_its_stage_to_its_launch() -> None:
    tale = told()

    last = [row for row in rows(tale, "phases") if row["task"] == 3]
    assert [(row["kind"], *times_ms(row)) for row in last] == [
        ("job", 1340, 1445),
        ("queue", 1340, 1345),
        ("exec", 1345, 1445),
    ]


def test_task_is_a_partition_and_its_type_is_the_stage() -> None:
    names = [(row["name"], row["type"], row["outcome"]) for row in rows(told(), "tasks")]

    assert names[1:] == [
        ("map at x.py:0 (stage 0, partition 1)", "map at x.py:0", "ran"),
        ("map at x.py:1 (stage 1, partition 2)", "map at x.py:1", "ran"),
    ]


def test_what_was_used_is_told_of_tasks_executors_and_the_run() -> None:
    tale = told()

    executions = [used(tale, row["id"]) for row in phases(tale, "exec")]
    assert executions == [
        {"cpu_user_ns": 70e6, "shuffle_written_bytes": 300.0},
        {"cpu_user_ns": 100e6, "shuffle_written_bytes": 500.0},
        {"cpu_user_ns": 50e6, "shuffle_read_bytes": 800.0},
    ]
    sums = {"cpu_user_ns": 220e6, "shuffle_written_bytes": 800.0, "shuffle_read_bytes": 800.0}
    assert used(tale, None) == sums
    of_processes = [row for row in rows(tale, "totals") if row["scope"] == "process"]
    assert {row["metric"]: row["value"] for row in of_processes} == sums


def test_parts_of_a_try_add_up_to_it() -> None:
    lines = [*began(), task(0, 0, 1100), task(0, 0, 1100, 1200, info={"Getting Result Time": 1195}, run=60)]
    lines[-1] = lines[-1].replace(
        '"Executor Run Time"', '"Executor Deserialize Time": 20, "Executor Run Time"'
    )

    [execution] = phases(told(lines), "exec")
    known = facts(execution)
    parts = ("deserialize_ms", "run_ms", "getting_result_ms", "scheduler_delay_ms")
    assert [known[name] for name in parts] == [20, 60, 5, 15]


def test_failed_try_is_followed_by_the_next_attempt() -> None:
    tale = told(
        [
            *began(),
            stage(0, 1100),
            task(0, 0, 1110),
            task(0, 0, 1110, 1150, reason="ExceptionFailure"),
            task(9, 0, 1160, info={"Partition ID": 0}),
            task(9, 0, 1160, 1200, info={"Partition ID": 0}),
        ]
    )

    assert len(rows(tale, "tasks")) == 1
    assert [(row["attempt"], row["status"], *times_ms(row)) for row in phases(tale, "job")] == [
        (1, "failed", 1100, 1150),
        (2, "ok", 1150, 1200),
    ]
    assert facts(phases(tale, "exec")[0])["reason"] == "ExceptionFailure"


def test_copy_of_a_slow_task_waits_for_nothing() -> None:
    copy = {"Partition ID": 0, "Speculative": True}
    tale = told(
        [
            *began(),
            stage(0, 1100),
            task(0, 0, 1100),
            task(9, 0, 1300, info=copy),
            task(9, 0, 1300, 1350, info=copy),
            task(0, 0, 1100, 1360, reason="TaskKilled"),
        ]
    )

    found = [(row["attempt"], row["status"], *times_ms(row)) for row in phases(tale, "job")]
    assert sorted(found) == [(1, "failed", 1100, 1360), (2, "ok", 1300, 1350)]
    assert phases(tale, "queue") == []


def test_stage_that_is_tried_again_computes_the_same_tasks() -> None:
    again = {"Stage Attempt ID": 1}
    tale = told(
        [
            *began(),
            stage(0, 1100),
            task(0, 0, 1100),
            task(0, 0, 1100, 1150),
            stage(0, 1100, end=1200, **{"Failure Reason": "executor lost\nat x"}),
            stage(0, 1300, **again),
            task(9, 0, 1310, attempt=1, info={"Partition ID": 0, "Index": 0}),
            task(9, 0, 1310, 1350, attempt=1, info={"Partition ID": 0, "Index": 0}),
            stage(0, 1300, end=1360, **again),
        ]
    )

    first, second = phases(tale, "sparkstage")
    assert (first["status"], second["status"], second["attempt"]) == ("failed", "ok", 2)
    assert facts(first)["failure"] == "executor lost"
    assert [(row["task"], row["attempt"], *times_ms(row)) for row in phases(tale, "job")] == [
        (1, 1, 1100, 1150),
        (1, 2, 1300, 1350),
    ]


def test_output_that_was_lost_is_no_try() -> None:
    lines = simple()
    lines.insert(-1, task(0, 0, 1120, 1220, reason="Resubmitted"))

    assert len(phases(told(lines), "exec")) == 3


def test_log_without_partitions_takes_the_index() -> None:
    without = [line.replace('"Partition ID"', '"Other"') for line in simple()]

    assert len(rows(told(without), "tasks")) == 3


def test_task_without_a_begin_or_a_stage_is_read() -> None:
    tale = told([*began(), task(0, 7, 1110, 1200)])

    assert [row["type"] for row in rows(tale, "tasks")] == ["stage 7"]
    assert [times_ms(row) for row in phases(tale, "job")] == [(1110, 1200)]


def test_bytes_of_input_are_those_of_tasks_and_executors_and_not_of_the_run() -> None:
    lines = [*began(), task(0, 0, 1100, 1200, run=9)]
    lines[-1] = lines[-1].replace(
        '"Executor Run Time"', '"Input Metrics": {"Bytes Read": 70}, "Executor Run Time"'
    )
    tale = told(lines)

    found = [(row["scope"], row["metric"], row["value"]) for row in rows(tale, "totals")]
    assert found == [("phase", "read_bytes", 70.0), ("process", "read_bytes", 70.0)]
