"""Which jobs need not run, may wait for room, or are held back."""

from __future__ import annotations

from longpole.model.plan import Clustering, Grouping
from longpole.model.workflow import NamedSet
from longpole.run.messages import Made
from longpole.run.policy import Known
from tests.plan.described import task
from tests.run.decided import Decided

MADE = [Known((Made("a", 1, ""),))]


def test_a_job_waits_for_room_once_it_waits_for_no_other() -> None:
    parts = Decided(task("a", made=["a"]), task("b", ["a"], ["b"]))
    for job in [*parts.jobs, *parts.jobs]:
        parts.readiness.consider(job)

    assert parts.room.ready == [0]


def test_a_job_that_need_not_run_waits_for_no_room() -> None:
    parts = Decided(task("a"), task("b"), known=lambda job: MADE if job.number == 0 else None)
    for job in parts.jobs:
        parts.readiness.consider(job)

    assert list(parts.readiness.take_known()) == [(parts.jobs[0], MADE)]
    assert list(parts.readiness.take_known()) == []
    assert parts.room.ready == [1]


def test_what_comes_up_while_known_jobs_are_taken_is_taken_too() -> None:
    parts = Decided(task("a"), task("b"), known=lambda _: MADE)
    parts.readiness.consider(parts.jobs[0])

    taken = []
    for job, _ in parts.readiness.take_known():
        taken.append(job.number)
        parts.readiness.consider(parts.jobs[1])

    assert taken == [0, 1]


def test_a_cluster_is_held_back_while_tasks_to_come_need_what_is_not_there() -> None:
    parts = Decided(
        NamedSet("tile", made="tiles/{tile}"),
        task("cut", made=["tiles/{tile}"]),
        task("first", made=["first"], cluster="all"),
        task("score", ["tiles/{tile}"], ["scores/{tile}"], for_each=(("tile",),), cluster="all"),
        clustering=Clustering(Grouping.LABEL),
    )
    cluster = next(job for job in parts.jobs if job.label)
    parts.readiness.consider(cluster)

    assert parts.room.ready == []
    assert list(parts.readiness.take_held()) == [cluster]
    assert list(parts.readiness.take_held()) == []
