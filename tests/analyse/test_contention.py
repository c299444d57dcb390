"""Waits for cores that were of the run's own making."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.change import Change
from longpole.analyse.demand import Demand
from longpole.analyse.replay import Replay, replay_of
from tests.analyse.planted import Planted, S


def tasks(*lengths_s: float, wrapped: bool = False) -> Planted:
    """Processes that start at once; each may be wrapped by a shell."""
    run = Planted(max(lengths_s))
    main = run.phase("process", "pool", 0.0, max(lengths_s), process=99)
    for process, length in enumerate(lengths_s, start=1):
        parent = (
            run.phase("process", "sh", 0.0, length, parent=main, process=50 + process) if wrapped else main
        )
        run.phase("process", "task", 0.0, length, parent=parent, process=process)
    return run


def demand(run: Planted, alone: float, cores: float = 1.0, there: float = 2.0) -> Demand:
    tree = run.tree()
    own = np.isin(tree.process, range(1, 50))
    return Demand(np.where(own, cores, 0.0), np.where(own, alone, 1.0), there)


def seconds(replay: Replay, change: Change | None = None) -> float:
    return replay.replay(change or Change()).makespan_ns / S


@pytest.mark.parametrize("wrapped", [False, True])
def test_tasks_that_slowed_each_other_down_gain_nothing_from_fewer_at_once(wrapped):
    run = tasks(10.0, 10.0, 10.0, 10.0, wrapped=wrapped)  # 5 s each alone, on two cores

    replay = Replay(run.tree(), demand=demand(run, 0.5))

    assert replay.slowed_itself
    assert seconds(replay) == pytest.approx(10.0)
    assert seconds(replay, Change(slots={1: 2})) == pytest.approx(10.0)
    assert seconds(replay, Change(slots={1: 1})) == pytest.approx(20.0)
    assert seconds(replay, Change(cores=4.0)) == pytest.approx(5.0)


def test_what_others_took_stays_taken():
    run = tasks(10.0, 10.0)  # two on cores enough for both: others held them up

    replay = Replay(run.tree(), demand=demand(run, 0.5))

    assert not replay.slowed_itself
    assert seconds(replay) == pytest.approx(10.0)
    assert seconds(replay, Change(slots={1: 1})) == pytest.approx(20.0)


def test_balanced_work_is_that_which_each_does_alone():
    # alone 1, 1, 1 and 5 s on two cores: three at 2/3 of a core until 1.5 s, the long one alone then
    run = tasks(2.0, 2.0, 2.0, 6.0)
    tree = run.tree()
    alone = np.array([1.0, 1.0, 0.5, 0.5, 0.5, 5.0 / 6.0])
    replay = Replay(tree, demand=Demand(np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0]), alone, 2.0))

    assert seconds(replay) == pytest.approx(6.0)
    assert seconds(replay, Change(balance=[(np.arange(2, 6), 1.0)])) == pytest.approx(4.0)
    assert seconds(replay, Change(balance=[(np.arange(2, 6), 0.0)])) == pytest.approx(6.0)


def test_work_that_comes_first_and_waits_then_is_told_from_work_spread_over_all():
    # on a core for half of 4 s: first, with four at once on two cores, 4 s and then 2 s of waiting
    first = tasks(6.0, 6.0, 6.0, 6.0)
    spread = tasks(4.0, 4.0, 4.0, 4.0, 4.0)

    for run, alone in ((first, 4.0 / 6.0), (spread, 1.0)):
        replay = replay_of(run.tree(), {}, demand(run, alone, cores=0.5 if run is first else 0.4))
        assert replay.error == pytest.approx(0.0, abs=0.01)
