"""Nextflow's traces: tries, waits and totals as told, whatever columns there are."""

from __future__ import annotations

import json
from datetime import UTC

import pytest

from longpole.exchange.nextflow import NEXTFLOW
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.told import Told, Wishes
from tests.exchange.foreign import given, real_trace
from tests.exchange.told_rows import length_s, most_at_once, phases, rows, used

S = 1_000_000_000
MB = 1024 * 1024
DEFAULT = {
    "task_id": "1",
    "hash": "09/f496c9",
    "name": "align (a)",
    "status": "COMPLETED",
    "exit": "0",
    "submit": "1000000",
    "duration": "8s",
    "realtime": "5s",
}


def trace(*lines: dict[str, str]) -> str:
    """Return a trace; what a line does not say is that of a task of 5 s after 3 s in the queue."""
    columns = list(dict.fromkeys([*DEFAULT, *(name for line in lines for name in line)]))
    header = "\t".join(columns)
    every = ("\t".join({**DEFAULT, **line}.get(name, "-") for name in columns) for line in lines)
    return "\n".join([header, *every, ""])


def told(*lines: dict[str, str]) -> Told:
    return read(trace(*lines) + "\n")


def read(text: str, name: str = "trace.txt") -> Told:
    return NEXTFLOW.read([given(text, name)], Wishes(zone=UTC))


def test_execution_is_the_last_part_of_the_time_from_submission() -> None:
    tale = told({})

    found = [(row["kind"], row["start_ns"], row["end_ns"]) for row in rows(tale, "phases")]
    assert found == [
        ("job", 1000 * S, 1008 * S),
        ("queue", 1000 * S, 1003 * S),
        ("exec", 1003 * S, 1008 * S),
    ]
    assert any("'realtime'" in gap for gap in tale.gaps)


def test_moments_that_are_told_are_taken() -> None:
    tale = told({"start": "1001000", "complete": "1007500"})

    [execution] = phases(tale, "exec")
    assert (execution["start_ns"], execution["end_ns"]) == (1001 * S, 1_007_500_000_000)
    assert not any("'realtime'" in gap for gap in tale.gaps)


def test_task_is_named_and_its_type_is_the_process() -> None:
    tasks = rows(told({"name": "WF:ALIGN (s1 (b))"}, {"name": "done"}), "tasks")

    assert [(row["name"], row["type"]) for row in tasks] == [
        ("WF:ALIGN (s1 (b))", "WF:ALIGN"),
        ("done", "done"),
    ]


def test_name_is_put_together_where_there_is_none() -> None:
    [task] = rows(read("process\ttag\tstatus\nALIGN\ts1\tCOMPLETED\n"), "tasks")

    assert (task["name"], task["type"], task["outcome"]) == ("ALIGN (s1)", "ALIGN", "ran")


def test_what_was_used_is_in_our_units_and_summed_for_the_run() -> None:
    use = {
        "%cpu": "150.0%",
        "peak_rss": "2 MB",
        "rchar": "3 MB",
        "wchar": "5",
        "read_bytes": "1 MB",
        "write_bytes": "0",
    }
    tale = told(use, {**use, "name": "other"})

    first, second = phases(tale, "exec")
    expected = {
        "cpu_user_ns": 7.5 * S,
        "peak_memory_bytes": 2.0 * MB,
        "read_bytes": 3.0 * MB,
        "written_bytes": 5.0,
        "storage_read_bytes": 1.0 * MB,
        "storage_written_bytes": 0.0,
    }
    assert used(tale, first["id"]) == used(tale, second["id"]) == expected
    assert used(tale, None) == {name: 2 * value for name, value in expected.items() if "peak" not in name}
    assert {row["source"] for row in rows(tale, "totals")} == {"declared"}


def test_retry_is_an_attempt_of_the_task_that_failed() -> None:
    tale = told(
        {"status": "FAILED", "exit": "137", "hash": "aa/111111"},
        {"task_id": "2", "hash": "bb/222222", "submit": "1009000"},
    )

    [task] = rows(tale, "tasks")
    assert task["outcome"] == "ran"
    assert [(row["attempt"], row["status"]) for row in phases(tale, "job")] == [(1, "failed"), (2, "ok")]
    facts = json.loads(phases(tale, "job")[0]["attributes"])
    assert (facts["hash"], facts["exit_code"]) == ("aa/111111", 137)


def test_tasks_of_one_name_that_all_succeed_are_apart() -> None:
    tale = told({}, {"task_id": "2", "submit": "1009000"})

    assert len(rows(tale, "tasks")) == 2


def test_try_that_overlaps_the_one_that_failed_is_another_task() -> None:
    tale = told({"status": "FAILED"}, {"task_id": "2", "submit": "1004000"})

    assert len(rows(tale, "tasks")) == 2


def test_column_attempt_decides_which_failure_is_retried() -> None:
    tale = told(
        {"status": "FAILED", "attempt": "1"},
        {"status": "FAILED", "attempt": "1", "submit": "1020000"},
        {"status": "FAILED", "attempt": "2", "submit": "1040000"},
        {"attempt": "3", "submit": "1060000"},
    )

    jobs = [(row["task"], row["attempt"], row["status"]) for row in phases(tale, "job")]
    assert sorted(jobs) == [(1, 1, "failed"), (1, 2, "failed"), (1, 3, "ok"), (2, 1, "failed")]


def test_what_was_cached_has_no_phase_and_is_said() -> None:
    tale = told({}, {"name": "old", "status": "CACHED", "submit": "1000"})

    assert {row["name"]: row["outcome"] for row in rows(tale, "tasks")} == {
        "align (a)": "ran",
        "old": "cached",
    }
    assert length_s(rows(tale, "phases")) == 8
    assert any("cache" in gap for gap in tale.gaps)


def test_task_that_was_aborted_before_it_began_never_ran() -> None:
    tale = told({"status": "ABORTED", "duration": "-", "realtime": "-", "exit": "-"})

    assert [row["outcome"] for row in rows(tale, "tasks")] == ["never"]
    assert [(row["kind"], row["status"]) for row in rows(tale, "phases")] == [
        ("job", "failed"),
        ("queue", "unfinished"),
    ]


def test_task_that_still_runs_is_unfinished_and_said() -> None:
    tale = told({"status": "RUNNING", "duration": "-", "realtime": "-", "exit": "-", "start": "1002000"})

    assert [(row["end_ns"], row["status"]) for row in phases(tale, "exec")] == [(None, "unfinished")]
    assert "1 task had not ended when the file was written." in tale.gaps


def test_what_a_task_needs_is_kept_and_its_script_is_not() -> None:
    tale = told(
        {"cpus": "4", "memory": "2 MB", "time": "1h", "script": "curl -u me:secret", "env": "TOKEN=1"}
    )

    [task] = rows(tale, "tasks")
    assert json.loads(task["resources"]) == {"cpus": 4, "memory_bytes": 2.0 * MB, "time_s": 3600.0}
    assert "secret" not in str(rows(tale, "phases"))
    assert "TOKEN" not in str(rows(tale, "phases"))


def test_columns_may_come_in_any_order_and_number() -> None:
    tale = read("status\tname\nCOMPLETED\tx\nFAILED\ty\n")

    assert [row["status"] for row in phases(tale, "job")] == ["ok", "failed"]
    assert [row["start_ns"] for row in phases(tale, "job")] == [None, None]


def test_without_a_status_the_exit_code_tells() -> None:
    tale = read(
        "name\thash\texit\tsubmit\tduration\na\tx\t0\t1000\t5s\nb\ty\t1\t1000\t5s\nc\tz\t-\t1000\t-\n"
    )

    assert [row["status"] for row in phases(tale, "job")] == ["ok", "failed", "unfinished"]


def test_values_that_are_none_are_counted_with_the_first() -> None:
    tale = told({}, {"duration": "-5s"}, {"duration": "13 parsecs"})

    assert tale.gaps[0].startswith("2 values of the column 'duration' of trace.txt could not be understood")
    assert "'-5s' in line 3" in tale.gaps[0]


def test_end_before_begin_is_left_out_and_said() -> None:
    tale = told({"complete": "900000", "duration": "-"}, {"name": "b"})

    assert [row["end_ns"] is None for row in phases(tale, "job")] == [True, False]
    assert any("'complete' is before 'start'" in gap for gap in tale.gaps)


def test_line_that_was_cut_is_counted() -> None:
    tale = read(trace({}, {"name": "b"})[:-20])

    assert len(rows(tale, "tasks")) == 1
    assert tale.gaps[0].startswith("1 line of trace.txt could not be understood, the first: line 3 has ")


def test_several_files_are_one_run() -> None:
    files = [given(trace({"status": "FAILED"})), given(trace({"submit": "2000000"}, {"name": "b"}))]

    tale = NEXTFLOW.read(files, Wishes(zone=UTC))

    assert [row["attempt"] for row in phases(tale, "job") if row["name"] == "align (a)"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "bad.txt is no trace"),
        ("name\tstatus\n", "bad.txt is a trace of Nextflow without any task: "),
        (
            "name\tstatus\nx\thello\n",
            "Nothing in the column 'status' of bad.txt can be understood, as 'hello' in line 2.",
        ),
        ("name\thash\tsubmit\nx\ty\t97.8%\n", "Nothing in the column 'submit' of bad.txt"),
        ("name\thash\tpeak_rss\nx\ty\t5 parsecs\n", "Nothing in the column 'peak_rss' of bad.txt"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_file_and_column(text: str, said: str) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        read(text, "bad.txt")

    assert said in str(caught.value)


def test_real_trace_has_its_tries_length_and_concurrency() -> None:
    tale = NEXTFLOW.read([real_trace("nextflow/*.txt")], Wishes(zone=UTC))

    jobs = phases(tale, "job")
    statuses = [row["status"] for row in jobs]
    assert (len(jobs), statuses.count("ok"), statuses.count("failed")) == (217, 209, 8)
    assert length_s(jobs) == pytest.approx(4176.246, abs=1e-6)
    # 62 were submitted and not complete; no more than 30 of them executed
    assert (most_at_once(jobs), most_at_once(phases(tale, "exec"))) == (62, 30)


def test_real_trace_has_four_tasks_that_failed_twice() -> None:
    tale = NEXTFLOW.read([real_trace("nextflow/*.txt")], Wishes(zone=UTC))

    assert len(rows(tale, "tasks")) == 209
    third = [row["task"] for row in phases(tale, "job") if row["attempt"] == 3]
    assert len(third) == 4
    assert {row["attempt"] for row in phases(tale, "job")} == {1, 2, 3}


def test_real_trace_without_a_zone_says_so() -> None:
    tale = NEXTFLOW.read([real_trace("nextflow/*.txt")], Wishes())

    assert any("--timezone" in gap for gap in tale.gaps)
