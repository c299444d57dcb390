"""multiprocessing: every process it starts is part of the phase in which it was started."""

from __future__ import annotations

import json

import pytest

from tests.record.hooks.twice import Row, Twice, run_twice


@pytest.fixture(scope="module")
def work() -> Twice:
    """What a program that starts processes in many ways says, bare and recorded, and its phases."""
    return run_twice("mp_work.py")


@pytest.fixture
def rows(work: Twice) -> list[Row]:
    return work.rows


def pids(rows: list[Row], above: str) -> set[int]:
    """Return the pids of the processes that a phase said it started."""
    spawns = [row for row in rows if row["kind"] == "spawn" and row["above"] == above and row["attributes"]]
    return {json.loads(row["attributes"])["pid"] for row in spawns if row["status"] == "ok"}


def processes(rows: list[Row], above: str) -> set[int]:
    """Return the pids of the processes that are part of a phase."""
    return {row["pid"] for row in rows if row["kind"] == "process" and row["above"] == above}


def test_results_and_failures_are_the_same(work):
    assert "as meant" in work.bare.err
    assert "cannot pickle" in work.bare.err
    assert work.recorded == work.bare


@pytest.mark.parametrize(
    ("phase", "count"), [("fork", 1), ("spawn", 1), ("forkserver", 1), ("pool", 2), ("executor", 2)]
)
def test_a_process_is_part_of_the_phase_in_which_it_was_started(rows, phase, count):
    assert len(pids(rows, phase)) == count
    assert processes(rows, phase) == pids(rows, phase)


def test_processes_that_such_processes_start_are_part_of_their_phases(rows):
    # A server that forks outlives the process that started it; where it is first seen only then, nobody can
    # tell any more who that was, nor whose its children are.
    assert len(pids(rows, "deeper")) == 3
    assert processes(rows, "deeper") <= pids(rows, "deeper")
    assert len(processes(rows, "deeper")) >= 2


def test_a_process_started_in_no_phase_is_part_of_the_one_that_started_it(rows):
    first = next(row for row in rows if row["kind"] == "process" and row["above_kind"] == "run")
    alone = {row["process"] for row in rows if row["attributes"] == '{"number": 5}'}

    assert {row["parent"] for row in rows if row["kind"] == "process" and row["process"] in alone} == {
        first["id"]
    }


def test_a_start_is_a_phase_with_the_pid_of_the_child(rows):
    starts = [row for row in rows if row["kind"] == "spawn"]

    assert {row["name"] for row in starts} == {"start process"}
    assert [row["attributes"] for row in starts if row["status"] == "failed"] == [None, None]


def test_a_child_is_forked_in_the_phase_around_its_start(rows):
    (work,) = (row for row in rows if row["name"] == "work" and row["above"] == "fork")

    assert work["pid"] in pids(rows, "fork")
