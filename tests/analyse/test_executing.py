"""The tree without waits."""

from __future__ import annotations

from longpole.analyse.change import Change
from longpole.analyse.replay import Replay
from longpole.analyse.tree import executing
from tests.analyse.planted import Planted, S


def test_how_long_a_job_was_queued_is_known():
    run = Planted(10.0)
    job = run.phase("job", "fit", 1.0, 9.0)
    run.phase("hold", "fit", 1.0, 3.0, parent=job)
    run.phase("queue", "fit", 3.0, 5.0, parent=job)
    run.phase("exec", "fit", 5.0, 9.0, parent=job)

    work = executing(run.tree())

    assert work.queued_ns is not None
    assert (work.queued_ns // S).tolist() == [0, 2, 0]


def test_a_submission_of_which_more_is_known_is_no_wait():
    # Snakemake hands a job to a cluster, whose accounting tells of its queue
    run = Planted(20.0)
    job = run.phase("job", "fit", 1.0, 19.0)
    run.phase("queue", "fit", 1.0, 4.0, parent=job)
    submitted = run.phase("submitted", "fit", 4.0, 19.0, parent=job)
    run.phase("queue", "fit", 4.0, 9.0, parent=submitted)
    run.phase("exec", "fit", 9.0, 19.0, parent=submitted)

    work = executing(run.tree())

    assert [work.kinds[kind] for kind in work.kind.tolist()] == ["run", "job", "submitted", "exec"]
    assert (work.start_ns // S).tolist() == [0, 9, 9, 9]
    assert work.queued_ns is not None
    assert (work.queued_ns // S).tolist() == [0, 8, 0, 0]


def test_a_submission_of_which_nothing_is_known_is_a_wait():
    run = Planted(20.0)
    job = run.phase("job", "fit", 1.0, 19.0)
    run.phase("submitted", "fit", 1.0, 9.0, parent=job)

    work = executing(run.tree())

    assert (work.start_ns // S).tolist() == [0, 9]


def test_a_job_that_was_put_back_into_the_queue_keeps_its_first_execution():
    run = Planted(20.0)
    job = run.phase("job", "fit", 1.0, 19.0)
    run.phase("queue", "fit", 1.0, 3.0, parent=job)
    run.phase("exec", "fit", 3.0, 8.0, parent=job)
    run.phase("queue", "fit", 8.0, 12.0, parent=job)
    run.phase("exec", "fit", 12.0, 19.0, parent=job)

    work = executing(run.tree())

    assert [work.kinds[kind] for kind in work.kind.tolist()] == ["run", "job", "exec", "exec"]
    assert (work.start_ns // S).tolist() == [0, 3, 3, 12]
    assert (work.end_ns // S).tolist() == [20, 19, 8, 19]
    assert work.queued_ns is not None
    assert (work.queued_ns // S).tolist() == [0, 2, 0, 0]


def test_a_replay_without_a_change_has_both_executions_of_such_a_job():
    run = Planted(20.0)
    job = run.phase("job", "fit", 0.0, 20.0)
    for start in (0.0, 10.0):
        run.phase("queue", "fit", start, start + 2.0, parent=job)
        run.phase("exec", "fit", start + 2.0, start + 10.0, parent=job)
    case = run.case()

    replayed = Replay(case.tree).replay(Change(factors=case.factors(case.tree.places_of_kind("exec"), 0.5)))

    assert case.waits_s["queue"] == 4.0
    assert replayed.makespan_ns == 12 * S
