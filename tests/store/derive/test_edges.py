"""Edges between processes: who started and waited for whom, and how they are numbered."""

from __future__ import annotations

import pytest

from tests.builders import HandmadeRun, ms
from tests.traces import program, put, traced

_NAMED = """
    SELECT edges.kind, before.name AS before, after.name AS after, file
    FROM edges JOIN phases AS before ON before.id = from_phase JOIN phases AS after ON after.id = to_phase
    WHERE edges.kind = '{kind}' ORDER BY edges.id
"""


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def edges(run: HandmadeRun, kind: str) -> list[tuple[object, object]]:
    """Return the names of processes at both ends of edges of a kind."""
    return [(row["before"], row["after"]) for row in run.open().query(_NAMED.format(kind=kind)).records()]


def test_a_parent_releases_its_child_and_the_end_of_that_its_parent(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=10, parent=1)
        log.exit(2, 10, 300)
        log.exit(1, 0, 500)

    assert edges(run, "control") == [("p1", "p2"), ("p2", "p1")]


def test_edges_of_processes_are_none_of_tasks(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=10, parent=1)

    (row,) = run.open().table("edges", ["from_task", "to_task"]).records()
    assert set(row.values()) == {None}


def test_a_process_that_outlives_its_parent_is_not_waited_for(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=10, parent=1)
        log.exit(1, 0, 300)
        log.exit(2, 10, 500)

    assert edges(run, "control") == [("p1", "p2")]


def test_an_orphan_that_the_launcher_reaped_is_not_waited_for(run):
    with run.log() as log:
        log.launcher()
        log.process(1)
        log.process(2, start=10, parent=1)
        log.end(102, 10, 299)
        log.end(101, 0, 300)

    assert edges(run, "control") == [("p1", "p2")]


def test_an_end_that_is_noted_late_was_waited_for(run):
    with run.log() as log:
        log.launcher()
        log.process(1)
        log.process(2, start=10, parent=1)
        log.process(3, start=20, parent=1)
        log.note("gone", number=2, by=ms(580))
        log.exit(3, 20, 505)
        log.end(101, 0, 500)

    assert edges(run, "control") == [("p1", "p2"), ("p1", "p3"), ("p2", "p1"), ("p3", "p1")]


def test_a_process_that_is_still_there_releases_nobody(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=10, parent=1)
        log.process(3, start=20, parent=2)
        log.note("gone", number=3, by=ms(300))

    assert edges(run, "control") == [("p1", "p2"), ("p2", "p3"), ("p3", "p2")]


def test_what_a_trace_tells_comes_behind_with_ids_of_its_own(run):
    with run.log() as log:
        program(log)
        log.process(2, start=10, parent=1)
        log.exit(2, 10, 300)
    put(
        run,
        traced("cudaLaunchKernel", 130, 131, cat="cuda_runtime", args={"correlation": 7}),
        traced("gemm", 132, 140, cat="kernel", args={"correlation": 7, "device": 0, "stream": 7}),
    )

    assert edges(run, "control") == [("p1", "p2"), ("p2", "p1")]
    assert edges(run, "launch") == [("cudaLaunchKernel", "gemm")]
    assert list(run.open().table("edges", ["id"])["id"]) == [1, 2, 3]
