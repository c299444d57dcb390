"""Tasks counted as they come and go."""

from __future__ import annotations

from longpole.run.capacity import Lines
from longpole.run.jobs import Job
from longpole.run.tally import Count, Tally


def test_a_task_is_counted_in_one_place_at_a_time() -> None:
    tally, job = Tally(["cut"]), Job(0, tasks=[0], attempt=1)

    tally.begin("cut")
    assert tally.counts["cut"] == Count(running=1)
    tally.end("cut")
    tally.ran(job, ["cut"])
    assert tally.counts["cut"] == Count(ran=1)


def test_a_task_that_was_tried_again_counts_as_such_when_it_ran() -> None:
    tally, job = Tally(["cut"]), Job(0, tasks=[0], attempt=2)

    tally.retry(0)
    assert tally.counts["cut"].tried_again == 0
    tally.ran(job, ["cut"])
    assert tally.counts["cut"] == Count(ran=1, tried_again=1)


def test_tasks_of_a_job_of_several_count_as_they_are_executed() -> None:
    tally, job = Tally(["cut", "score"]), Job(0, "all", tasks=[0, 1], attempt=1, line=Lines())

    tally.execute(job, "cut")
    assert (tally.counts["cut"].ran, tally.counts["score"].ran) == (1, 0)
    tally.execute(job, "score")
    tally.ran(job, ["cut", "score"])
    assert (tally.counts["cut"].ran, tally.counts["score"].ran) == (1, 1)


def test_what_a_job_of_several_has_executed_is_lost_when_it_fails() -> None:
    tally, job = Tally(["cut", "score"]), Job(0, "all", tasks=[0, 1], attempt=1, line=Lines())

    tally.execute(job, "cut")
    tally.failed(job, "score")

    assert (tally.counts["cut"], tally.counts["score"]) == (Count(), Count(failed=1))


def test_what_did_not_run_is_counted_by_why() -> None:
    tally = Tally(["cut"])

    tally.cached(["cut"])
    tally.skip(["cut", "cut"])
    tally.stopped(Job(0), "cut")

    assert tally.counts["cut"] == Count(cached=1, skipped=2, stopped=1)
