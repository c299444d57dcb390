"""Within a cluster: who is executed when, and when it closes."""

from __future__ import annotations

from longpole.model.plan import Clustering, Grouping
from longpole.model.workflow import NamedSet, Resources, Retry
from longpole.run.jobs import Job
from longpole.run.messages import Abandon, Close, Discard, Execute, Executed, Stop, Verdict
from tests.plan.described import task
from tests.run.decided import Decided

WHOLE = Clustering(Grouping.WHOLE)


def opened(*described, **more) -> tuple[Decided, Job]:
    """Return a cluster of all tasks that has room, and is open."""
    parts = Decided(*described, clustering=WHOLE, **more)
    (job,) = parts.jobs
    parts.room.wait(job)
    assert parts.admitted() == [0]
    job.open, job.left = True, set(job.tasks)
    return parts, job


def ended(parts: Decided, job: Job, task: int) -> None:
    """Let a task end well."""
    parts.inside.ended(job, task)
    parts.inside.go_on(job, list(parts.graph.executed(task)))


def test_as_many_as_there_is_room_for_are_executed_and_it_closes_when_all_were() -> None:
    parts, job = opened(task("a"), task("b"), task("c"))
    parts.inside.begin(job)
    assert parts.told() == [Execute(0, 0), Execute(0, 1)]

    ended(parts, job, 1)
    assert parts.told() == [Execute(0, 2)]
    ended(parts, job, 0)
    ended(parts, job, 2)
    assert parts.told() == [Close(0)]

    parts.inside.go_on(job, ())
    assert parts.told() == []


def test_who_depends_on_another_comes_after_it() -> None:
    parts, job = opened(task("a", made=["a"]), task("b", ["a"]))
    parts.inside.begin(job)
    assert parts.told() == [Execute(0, 0)]

    ended(parts, job, 0)

    assert parts.told() == [Execute(0, 1)]


def test_it_stays_open_while_more_may_come_and_closes_if_none_can() -> None:
    parts, job = opened(
        NamedSet("tile", made="tiles/{tile}"),
        task("cut", made=["tiles/{tile}"]),
        task("score", ["tiles/{tile}"], for_each=(("tile",),)),
    )
    parts.inside.begin(job)
    ended(parts, job, 0)
    assert parts.told() == [Execute(0, 0)]

    parts.growth.refused = "Sets do not go in step."
    parts.inside.go_on(job, ())

    assert parts.told() == [Close(0)]


def test_a_task_that_ran_out_of_memory_has_more_of_it_the_next_time() -> None:
    parts, job = opened(task("a", retry=Retry(1, 2.0), resources=Resources(memory_bytes=300)))
    parts.inside.begin(job)
    before = job.memory_for(0)
    parts.inside.ended(job, 0)
    parts.inside.fail(job, Executed(0, 0, Verdict.OUT_OF_MEMORY, "It ran out of memory."))

    assert parts.told() == [Execute(0, 0), Execute(0, 0)]
    assert (before, job.memory_for(0)) == (300, 600)


def test_a_task_that_fails_for_good_stops_the_others_and_then_the_cluster_is_given_up() -> None:
    parts, job = opened(task("a"), task("b"))
    parts.inside.begin(job)
    parts.told()
    parts.inside.ended(job, 0)
    parts.inside.fail(job, Executed(0, 0, Verdict.FAILED, "It failed."))
    assert parts.told() == [Stop(0)]

    parts.inside.ended(job, 1)
    parts.inside.fail(job, Executed(0, 1, Verdict.STOPPED, "It was stopped."))

    assert parts.told() == [Abandon(0)]
    assert parts.losses.failures == {0: "It failed."}
    assert all(count.running == 0 for count in parts.tally.counts.values())


def test_a_cluster_that_opens_after_the_stop_is_let_go() -> None:
    parts, job = opened(task("a"))
    parts.failing.stop()
    parts.told()

    parts.inside.begin(job)

    assert parts.told() == [Discard(0)]


def test_after_the_stop_nothing_that_waits_is_executed() -> None:
    parts, job = opened(task("a"), task("b"), cores=1)
    parts.inside.begin(job)
    parts.failing.stop()
    assert parts.told() == [Execute(0, 0), Stop(0)]

    ended(parts, job, 0)

    assert parts.told() == [Discard(0)]
