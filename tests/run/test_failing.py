"""What becomes of jobs that fail: tries, memory, and when nothing new begins."""

from __future__ import annotations

import pytest

from longpole.model.workflow import Resources, Retry
from longpole.run.messages import Abandon, Discard, Stop, Verdict
from tests.plan.described import task
from tests.run.decided import Decided


def running(*described, **more) -> Decided:
    parts = Decided(*described, **more)
    for job in parts.jobs:
        parts.room.wait(job)
    parts.admitted()
    return parts


def test_a_task_is_tried_again_as_often_as_it_allows() -> None:
    parts = running(task("a", retry=Retry(2)))

    tries = [parts.failing.try_again(parts.jobs[0], 0, Verdict.FAILED) for _ in range(3)]

    assert tries == [True, True, False]
    parts.tally.ran(parts.jobs[0], ["a"])
    assert parts.tally.counts["a"].tried_again == 1


@pytest.mark.parametrize("keep_going", [False, True])
def test_after_a_failure_others_are_tried_again_only_while_we_keep_going(keep_going: bool) -> None:
    parts = running(task("a"), task("b", retry=Retry(1)), keep_going=keep_going)
    parts.failing.give_up(parts.jobs[0], 0, Verdict.FAILED, "It failed.")

    assert parts.failing.halted is not keep_going
    assert parts.failing.try_again(parts.jobs[1], 1, Verdict.FAILED) is keep_going


def test_a_task_that_was_stopped_is_not_tried_again() -> None:
    parts = running(task("a", retry=Retry(5)))

    assert not parts.failing.try_again(parts.jobs[0], 0, Verdict.STOPPED)


def test_a_job_that_failed_is_abandoned_with_all_that_depend_on_it() -> None:
    parts = running(task("a", made=["a"]), task("b", ["a"]))
    parts.failing.give_up(parts.jobs[0], 0, Verdict.FAILED, "It failed.")

    assert parts.told() == [Abandon(0)]
    assert (parts.losses.failures, parts.losses.skipped) == ({0: "It failed."}, {1})
    assert (parts.tally.counts["a"].failed, parts.tally.counts["b"].skipped) == (1, 1)
    assert parts.capacity.cores == 2


def test_a_job_of_several_ends_when_nothing_of_it_is_executed_and_for_what_failed_first() -> None:
    parts = running(task("a"))
    (job,) = parts.jobs
    job.executing = {5}
    parts.failing.give_up(job, 0, Verdict.FAILED, "It failed.")
    assert parts.told() == [Stop(0)]
    parts.failing.give_up(job, 5, Verdict.STOPPED, "It was stopped.")
    assert parts.told() == []

    job.executing = set()
    parts.failing.give_up(job, 5, Verdict.STOPPED, "It was stopped.")

    assert parts.told() == [Abandon(0)]
    assert (parts.losses.failures, job.culprit) == ({0: "It failed."}, 0)


def test_after_the_stop_jobs_are_discarded_and_counted_as_stopped() -> None:
    parts = running(task("a"), task("b"), task("c"))
    parts.failing.stop()
    assert parts.told() == [Stop(0), Stop(1)]
    assert parts.failing.halted

    parts.failing.end_stopped(parts.jobs[0])

    assert parts.told() == [Discard(0)]
    assert (parts.tally.counts["a"].stopped, parts.tally.counts["a"].failed) == (1, 0)
    assert parts.losses.failures == {0: "It was stopped."}


def test_memory_grows_by_what_the_task_says_and_never_beyond_the_machine() -> None:
    parts = running(task("a", retry=Retry(1, 2.0), resources=Resources(memory_bytes=300)))

    grown = parts.failing.with_more_memory(Resources(memory_bytes=300), 0)
    most = parts.failing.with_more_memory(grown, 0)

    assert (grown.memory_bytes, most.memory_bytes) == (600, 1000)
