"""Room on the machine: given out, counted, and given back."""

from __future__ import annotations

from longpole.model.workflow import Resources
from tests.plan.described import task
from tests.run.decided import Decided


def test_jobs_have_room_in_their_order_and_others_when_they_leave() -> None:
    parts = Decided(task("a"), task("b"), task("c"))
    for job in parts.jobs:
        parts.room.wait(job)

    assert parts.room.ready == [0, 1, 2]
    assert parts.admitted() == [0, 1]
    assert (parts.room.running, parts.room.has_waiting) == ({0, 1}, True)
    assert (parts.tally.counts["a"].running, parts.tally.counts["c"].running) == (1, 0)

    parts.room.leave(parts.jobs[0])
    assert parts.admitted() == [2]
    assert (parts.room.running, parts.room.has_waiting) == ({1, 2}, False)
    assert parts.tally.counts["a"].running == 0


def test_a_job_that_has_come_to_wait_for_another_in_line_has_no_room_and_may_wait_again() -> None:
    parts = Decided(task("a", resources=Resources(cores=2)))
    (job,) = parts.jobs
    parts.room.wait(job)
    job.outside = 1

    assert parts.admitted() == []
    assert (job.queued, parts.capacity.cores, parts.room.running) == (False, 2, set())

    job.outside = 0
    parts.room.wait(job)
    assert parts.admitted() == [0]


def test_who_has_no_room_gives_none_back() -> None:
    parts = Decided(task("a"))

    parts.room.leave(parts.jobs[0])

    assert (parts.capacity.cores, parts.tally.counts["a"].running) == (2, 0)


def test_the_most_memory_is_what_there_was_before_anybody_had_some() -> None:
    parts = Decided(task("a", resources=Resources(memory_bytes=600)))
    parts.room.wait(parts.jobs[0])
    parts.admitted()

    assert (parts.capacity.memory_bytes, parts.room.most_memory_bytes) == (400, 1000)
