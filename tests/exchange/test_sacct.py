"""Slurm's accounting: attempts, waits and dependencies as jobs had them, whatever sacct prints."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from longpole.exchange.sacct import FIELDS, SACCT, read_sacct
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.told import Told
from tests.exchange.foreign import given

S = 1_000_000_000
HEADER = "|".join(FIELDS)
Rows = list[dict[str, Any]]


def line(job: str, **cells: str) -> str:
    """Return a line of sacct; unnamed cells are those of a job that took 5 s after 3 s in the queue."""
    known = {
        "JobID": job,
        "JobName": "train",
        "Partition": "main",
        "State": "COMPLETED",
        "ExitCode": "0:0",
        "Submit": "1000",
        "Eligible": "1000",
        "Start": "1003",
        "End": "1008",
        "NNodes": "1",
        "AllocCPUS": "2",
        "NodeList": "n1",
        "ReqMem": "512M",
        "SubmitLine": "sbatch x.sh",
    }
    return "|".join({**dict.fromkeys(FIELDS, ""), **known, **cells}[name] for name in FIELDS)


def told(*lines: str) -> Told:
    return read_sacct(["\n".join([HEADER, *lines, ""])], UTC)


def phases(tale: Told, *kinds: str) -> Rows:
    rows = list(tale.tables["phases"].records())
    return [row for row in rows if row["kind"] in kinds]


def test_queue_and_execution_are_apart() -> None:
    tale = told(line("7"))

    found = [
        (row["kind"], row["start_ns"], row["duration_ns"]) for row in phases(tale, "queue", "exec", "job")
    ]
    assert found == [("job", 1000 * S, 8 * S), ("queue", 1000 * S, 3 * S), ("exec", 1003 * S, 5 * S)]
    assert (tale.name, tale.gaps) == ("train", ())


def test_time_before_a_job_could_start_is_no_queue() -> None:
    found = phases(told(line("7", Eligible="1002")), "hold", "queue")

    assert [(row["kind"], row["duration_ns"]) for row in found] == [("hold", 2 * S), ("queue", S)]


def test_steps_lie_in_the_execution_with_what_they_used() -> None:
    batch = line(
        "7.batch", JobName="batch", UserCPU="00:01.500", SystemCPU="00:00.250", MaxRSS="2048K", Submit=""
    )
    tale = told(line("7"), batch)

    [execution], [step] = phases(tale, "exec"), phases(tale, "jobstep")
    assert step["parent"] == execution["id"]
    used = {(row["owner"], row["metric"]): row["value"] for row in tale.tables["totals"].records()}
    assert used[step["id"], "cpu_user_ns"] == used[execution["id"], "cpu_user_ns"] == 1.5 * S
    assert used[execution["id"], "peak_memory_bytes"] == 2048 * 1024


def test_job_that_was_requeued_is_one_task_of_two_attempts() -> None:
    tale = told(
        line("7", State="REQUEUED", End="1004"),
        line("7.batch", State="CANCELLED"),
        line("7", Submit="1005", Eligible="1005", Start="1010", End="1020"),
    )

    assert tale.tables["tasks"].rows == 1
    jobs = phases(tale, "job")
    assert [(row["attempt"], row["status"]) for row in jobs] == [(1, "failed"), (2, "ok")]
    assert json.loads(str(jobs[0]["attributes"]))["state"] == "REQUEUED"


def test_elements_of_an_array_are_tasks_of_one_type() -> None:
    tasks = list(told(*(line(f"7_{element}") for element in range(3))).tables["tasks"].records())

    assert [(row["name"], row["type"]) for row in tasks] == [("train", "train")] * 3


@pytest.mark.parametrize(
    ("submitted", "before"),
    [
        ("sbatch --dependency=afterok:7 y.sh", {7}),
        ("sbatch -d afterok:7:8 y.sh", {7, 8}),
        ("sbatch --dependency afterany:7,afterok:8 y.sh", {7, 8}),
        ("sbatch --dependency=afterok:7?afternotok:8 y.sh", {7, 8}),
        ("sbatch --dependency=singleton y.sh", set()),
        ("sbatch --dependency=afterok:99 y.sh", set()),
        ('sbatch --comment "unclosed y.sh', set()),
    ],
)
def test_dependencies_are_those_of_the_submission(submitted: str, before: set[int]) -> None:
    tale = told(line("7"), line("8"), line("9", SubmitLine=submitted))

    names = {row["id"]: 7 + at for at, row in enumerate(tale.tables["tasks"].records())}
    found = {names[row["from_task"]] for row in tale.tables["edges"].records() if names[row["to_task"]] == 9}
    assert found == before


def test_who_waits_for_an_array_waits_for_all_its_elements() -> None:
    tale = told(line("7_1"), line("7_2"), line("8", SubmitLine="sbatch --dependency=afterok:7 y.sh"))

    assert [(row["from_task"], row["to_task"]) for row in tale.tables["edges"].records()] == [(1, 3), (2, 3)]


def test_job_that_never_started_was_in_the_queue_until_it_was_cancelled() -> None:
    tale = told(line("7", State="CANCELLED by 1000", Start="Unknown", End="1060", NodeList="None assigned"))

    [task] = tale.tables["tasks"].records()
    assert task["outcome"] == "never"
    assert [row["duration_ns"] for row in phases(tale, "queue")] == [60 * S]
    assert phases(tale, "exec") == []


def test_job_that_never_had_nodes_never_started_whatever_its_start() -> None:
    tale = told(line("7", State="CANCELLED by 1000", Start="1060", End="1060", NodeList="None assigned"))

    assert [(row["kind"], row["duration_ns"]) for row in phases(tale, "queue", "exec")] == [("queue", 60 * S)]


@pytest.mark.parametrize("eligible", ["Unknown", "5000"])
def test_job_that_was_cancelled_before_it_could_start_was_held(eligible: str) -> None:
    cancelled = {"State": "CANCELLED", "Start": "None", "End": "1060", "NodeList": "None assigned"}
    tale = told(line("7", Eligible=eligible, **cancelled))

    assert [(row["kind"], row["duration_ns"]) for row in phases(tale, "hold", "queue")] == [("hold", 60 * S)]


@pytest.mark.parametrize(
    ("listed", "elements"),
    [
        ("[1-3]", ["1", "2", "3"]),
        ("[0,4-8:4%2]", ["0", "4", "8"]),
        ("[1-999999999]", ["[1-999999999]"]),
        ("[1,...]", ["[1,...]"]),
    ],
)
def test_array_that_waits_is_a_task_for_each_element(listed: str, elements: list[str]) -> None:
    tale = told(line(f"7_{listed}", State="PENDING", Start="Unknown", End="Unknown"))

    found = [json.loads(str(row["attributes"]))["job"] for row in phases(tale, "job")]
    assert found == [f"7_{element}" for element in elements]


def test_job_that_still_runs_is_unfinished_and_said() -> None:
    tale = told(line("7", State="RUNNING", End="Unknown"))

    assert [(row["end_ns"], row["status"]) for row in phases(tale, "exec")] == [(None, "unfinished")]
    assert tale.gaps == ("1 job had not ended when sacct was asked.",)


def test_times_without_a_zone_are_of_the_one_that_is_said() -> None:
    times = {
        name: f"2026-07-01T12:00:0{at}" for at, name in enumerate(("Submit", "Eligible", "Start", "End"))
    }
    text = "\n".join([HEADER, line("7", **times), ""])

    here = read_sacct([text])
    paris = read_sacct([text], ZoneInfo("Europe/Paris"))

    assert "without a zone" in here.gaps[0]
    assert paris.gaps == ()
    assert phases(paris, "exec")[0]["start_ns"] == 1782900002 * S


def test_command_line_with_the_sign_that_divides_cells_is_taken_whole() -> None:
    tale = told(line("6"), line("7", SubmitLine="sbatch --wrap 'a | b' --dependency=afterok:6"))

    assert (tale.tables["tasks"].rows, tale.tables["edges"].rows) == (2, 1)


def test_what_a_file_lacks_is_said() -> None:
    tale = read_sacct(["JobID|State\n7|COMPLETED\n"])

    assert len(tale.gaps) == 3
    assert [row["start_ns"] for row in phases(tale, "job")] == [None]


@pytest.mark.parametrize(
    "moment", ["99999999999999999999", "9999-12-31T23:59:59", "0001-01-01T00:00:00", "²"]
)
def test_moment_that_cannot_be_is_not_known(moment: str) -> None:
    tale = told(line("7", Submit=moment, Eligible=moment, Start=moment, End=moment, MaxRSS="1.2.3K"))

    assert [(row["start_ns"], row["end_ns"]) for row in phases(tale, "job")] == [(None, None)]


def test_lines_that_are_none_are_counted() -> None:
    [gap] = told(line("7"), "what|is|this").gaps

    assert gap.startswith("1 line of the file could not be understood, the first: line 3 has 3 cells")


@pytest.mark.parametrize("text", ["", "hello", "JobName|State\nx|y", "{}", '{"jobs": []}', "JobID|State\n"])
def test_what_is_no_output_of_sacct_is_refused(text: str) -> None:
    with pytest.raises(UnreadableFileError):
        read_sacct([text])


def test_same_jobs_in_two_files_count_once() -> None:
    text = "\n".join([HEADER, line("7")])

    assert read_sacct([text, text], UTC).tables["phases"].rows == 3


def _old_json() -> dict[str, Any]:
    times = {"submission": 1000, "eligible": 1000, "start": 1003, "end": 1008}
    used = {"user": {"seconds": 1, "microseconds": 500000}, "system": {"seconds": 0, "microseconds": 250000}}
    step = {
        "step": {"id": {"job_id": 7, "step_id": "batch"}, "name": "batch"},
        "state": "COMPLETED",
        "time": {"start": 1003, "end": 1008, **used},
        "tres": {"requested": {"max": [{"type": "mem", "count": 2097152}]}},
    }
    return {
        "job_id": 7,
        "array": {"job_id": 0, "task_id": None},
        "name": "train",
        "state": {"current": "COMPLETED", "reason": "None"},
        "exit_code": {"status": "SUCCESS", "return_code": 0},
        "time": {**times, **used},
        "nodes": "n1",
        "steps": [step],
    }


def _new_json() -> dict[str, Any]:
    def number(value: int) -> dict[str, Any]:
        return {"set": True, "infinite": False, "number": value}

    job = _old_json()
    job["array"] = {"job_id": 0, "task_id": {"set": False, "infinite": False, "number": 0}}
    job["state"] = {"current": ["COMPLETED"], "reason": "None"}
    job["exit_code"] = {
        "status": ["SUCCESS"],
        "return_code": number(0),
        "signal": {"id": number(0), "name": ""},
    }
    job["steps"][0]["state"] = ["COMPLETED"]
    job["steps"][0]["time"]["start"] = number(1003)
    job["submit_line"] = "sbatch x.sh"
    return job


@pytest.mark.parametrize("job", [_old_json(), _new_json()])
def test_json_of_any_version_tells_the_same_as_text(job: dict[str, Any]) -> None:
    text = json.dumps({"meta": {}, "jobs": [job]})
    batch = line("7.batch", JobName="batch", UserCPU="00:01.500", SystemCPU="00:00.250", MaxRSS="2048K")

    assert SACCT.recognises(given(text))
    tale, same = read_sacct([text]), told(line("7", UserCPU="00:01.500", SystemCPU="00:00.250"), batch)

    columns = ("kind", "name", "start_ns", "end_ns", "duration_ns", "status")
    rows = [
        [tuple(row[name] for name in columns) for row in one.tables["phases"].records()]
        for one in (tale, same)
    ]
    assert rows[0] == rows[1]
    values = [sorted(float(value or 0) for value in one.tables["totals"]["value"]) for one in (tale, same)]
    assert values[0] == values[1]


def test_element_of_an_array_is_known_in_json_too() -> None:
    job = {**_old_json(), "array": {"job_id": 7, "task_id": 3}, "job_id": 9}

    [row] = phases(read_sacct([json.dumps({"jobs": [job]})]), "job")
    assert json.loads(str(row["attributes"]))["job"] == "7_3"


def test_array_that_waits_is_known_in_json_by_its_bits() -> None:
    job = {**_old_json(), "array": {"job_id": 7, "task": "0x2A", "task_id": None}, "nodes": "None assigned"}

    tale = read_sacct([json.dumps({"jobs": [job]})])
    found = [json.loads(str(row["attributes"]))["job"] for row in phases(tale, "job")]
    assert (found, phases(tale, "exec")) == (["7_1", "7_3", "7_5"], [])


def test_job_of_unknown_shape_is_left_out_and_counted() -> None:
    tale = read_sacct([json.dumps({"jobs": [_old_json(), {"job_id": 8, "steps": ["odd"]}, 5]})])

    assert tale.tables["tasks"].rows == 1
    assert "2 of the file's jobs" in tale.gaps[-1]
