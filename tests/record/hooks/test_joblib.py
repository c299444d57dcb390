"""joblib: parallel calls and their batches are phases, wherever they run, and nothing else is different."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tests.parts import need
from tests.record.hooks.both_ways import Said
from tests.record.hooks.twice import Row, Twice, looking_in, run_twice


@pytest.fixture(scope="module")
def work() -> Twice:
    """What a program with many parallel calls says, bare and recorded, and its phases."""
    need("joblib")
    return run_twice("joblib_work.py", "-W", "always")


@pytest.fixture
def rows(work: Twice) -> list[Row]:
    return work.rows


def calls(rows: list[Row], above: str) -> list[Row]:
    """Return the parallel calls in a phase."""
    return [row for row in rows if row["kind"] == "parallel" and row["above"] == above]


def batches(rows: list[Row], call: Row) -> list[Row]:
    return [row for row in rows if row["kind"] == "job" and row["parent"] == call["id"]]


def settled(said: Said) -> Said:
    """Return what was said, less what loky's tracker of semaphores says now and then, recorded or not.

    A thread of loky's may still be giving a semaphore back when the interpreter ends.
    """
    return replace(said, err=re.sub(r"(?m)^.*resource_tracker.*\n  warnings\.warn\(.*\n", "", said.err))


def test_results_and_warnings_are_the_same(work):
    assert work.bare.code == 0, work.bare.err
    assert settled(work.recorded) == settled(work.bare)


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ("processes", {"n_jobs": 2, "backend": "loky"}),
        ("threads", {"n_jobs": 2, "backend": "threading"}),
        ("one", {"n_jobs": 1, "backend": "sequential"}),
    ],
)
def test_a_call_is_a_phase_that_says_how_it_runs(rows, phase, expected):
    found = calls(rows, phase)

    assert {row["name"] for row in found} == {"joblib.Parallel"}
    assert [json.loads(row["attributes"]) for row in found] == [expected] * len(found)


def test_batches_in_worker_processes_are_phases_there(rows):
    (first, _) = calls(rows, "processes")
    jobs = [row for row in rows if row["name"] == "square" and row["above_kind"] == "process"]

    assert len(jobs) == 6
    assert first["process"] not in {row["process"] for row in jobs}
    assert {row["beyond"] for row in jobs} == {first["id"]}  # workers are part of the call that began them


def test_a_batch_says_how_many_tasks_it_had(rows):
    tasks = [
        json.loads(row["attributes"] or '{"tasks": 1}')["tasks"] for row in rows if row["name"] == "sqrt"
    ]

    assert sum(tasks) == 6


def test_batches_in_threads_are_parts_of_their_call(rows):
    (first, _) = calls(rows, "threads")

    assert len(batches(rows, first)) == 4
    assert first["lane"] not in {row["lane"] for row in batches(rows, first)}


def test_phases_begun_in_a_batch_are_parts_of_it(rows):
    inside = [row for row in rows if row["name"] == "inside"]

    assert {row["above_kind"] for row in inside} == {"job"}
    assert len(inside) == 16


def test_calls_within_calls_nest(rows):
    nested = calls(rows, "nest")

    assert len(nested) == 2
    assert [len(batches(rows, call)) for call in nested] == [2, 2]


def test_a_call_that_fails_is_failed_and_so_is_its_batch(rows):
    failed = [row for row in rows if row["kind"] == "parallel" and row["status"] == "failed"]

    assert [json.loads(row["attributes"])["error"] for row in failed] == ["ValueError", "ValueError"]
    assert {row["status"] for row in rows if row["name"] == "fail"} == {"failed"}


def test_a_failing_program_says_the_same():
    need("joblib")

    twice = run_twice("joblib_failing.py")

    assert "as meant" in twice.bare.err
    assert twice.recorded == twice.bare


@pytest.mark.parametrize(
    "library",
    [
        "class Parallel:\n    def __call__(self, calls): return list(calls)\n",
        "class Parallel: pass\nclass parallel:\n    class BatchedCalls: pass\n",
    ],
)
def test_a_library_that_has_changed_is_left_alone_and_said(user, tmp_path, library):
    (tmp_path / "joblib.py").write_text(library)
    program = (
        "import joblib; print('__call__' in vars(joblib.Parallel), joblib.Parallel().__class__.__name__)"
    )

    done = user.record(user.python, "-c", program, env=looking_in(user, tmp_path))

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{'__call__' in library} Parallel\n"
    assert [failure.hook for failure in user.latest().recording.hooks_given_up] == ["joblib"]
