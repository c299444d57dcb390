"""Replaying a run, as it was and with a change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.change import Change
from longpole.analyse.replay import Replay
from longpole.analyse.tree import Tree
from tests.analyse.planted import Planted, S
from tests.analyse.trees import trees


def seconds(replay: Replay, change: Change) -> float:
    return replay.replay(change).makespan_ns / S


def factors(tree: Tree, factor: float, *names: str) -> np.ndarray:
    chosen = [at for at, name in enumerate(tree.names) if name in names]
    return np.where(np.isin(tree.name, chosen), factor, 1.0)


def training() -> Planted:
    run = Planted(10.0)
    main = run.phase("process", "train", 0.0, 10.0, process=1)
    for start in (1.0, 5.0):
        step = run.phase("step", "step", start, start + 4.0, parent=main, process=1)
        run.phase("data", "data", start, start + 3.0, parent=step, process=1)
    return run


def test_a_serial_run_is_replayed_exactly():
    replay = Replay(training().tree())

    assert replay.unchanged.makespan_ns == 10 * S
    assert replay.error == 0.0


def test_what_takes_half_as_long_saves_half_its_time():
    tree = training().tree()

    assert seconds(Replay(tree), Change(factors=factors(tree, 0.5, "data"))) == pytest.approx(7.0)


def test_beside_something_longer_nothing_is_saved():
    run = Planted(10.0)
    main = run.phase("process", "sh", 0.0, 10.0)
    run.phase("process", "short", 0.0, 4.0, parent=main)
    run.phase("process", "long", 0.0, 9.0, parent=main)
    tree = run.tree()

    replay = Replay(tree)

    assert replay.unchanged.makespan_ns == 10 * S
    assert seconds(replay, Change(factors=factors(tree, 0.0, "short"))) == pytest.approx(10.0)
    assert seconds(replay, Change(factors=factors(tree, 0.5, "long"))) == pytest.approx(5.5)


def test_workers_beside_a_loop_do_not_hold_it_up():
    run = Planted(10.0)
    main = run.phase("process", "train", 0.0, 10.0, process=1)
    run.phase("process", "worker", 0.5, 9.0, parent=main, process=2)
    run.phase("step", "step", 1.0, 9.0, parent=main, process=1)
    tree = run.tree()

    assert seconds(Replay(tree), Change(factors=factors(tree, 0.5, "step"))) == pytest.approx(6.0)


def pool() -> Planted:
    run = Planted(12.0)
    main = run.phase("process", "pool", 0.0, 12.0)
    for start in (0.0, 3.0, 6.0, 9.0):
        for _ in range(2):
            run.phase("process", "task", start, start + 3.0, parent=main)
    return run


def test_more_slots_and_fewer():
    replay, tasks = Replay(pool().tree()), np.arange(2, 10)  # rounds that nothing joins but who says so

    assert replay.unchanged.makespan_ns == 12 * S
    assert seconds(replay, Change(slots={1: 4}, abreast=tasks)) == pytest.approx(6.0)
    assert seconds(replay, Change(slots={1: 1}, abreast=tasks)) == pytest.approx(24.0)


def test_dependencies_hold_in_a_replay():
    tree = pool().tree()
    after = {place: [place - 2] for place in range(4, 10)}

    assert seconds(Replay(tree, after), Change(slots={1: 8})) == pytest.approx(12.0)


def test_a_length_that_is_given_holds():
    tree = pool().tree()

    assert seconds(Replay(tree), Change(lengths_ns={9: 10 * S})) == pytest.approx(19.0)


@given(trees(nested=True))
def test_the_replay_of_what_was_is_never_longer_than_it_was_by_much(tree):
    # gaps are drawn anew, and what overlaps may be packed better or worse than it was
    assert Replay(tree).unchanged.makespan_ns <= 2 * 100 * S


@given(trees(nested=True), st.floats(0.0, 1.0))
def test_faster_is_never_slower(tree, factor):
    # with slots only: a list schedule may have anomalies, so every phase is made faster alike
    replay = Replay(tree)

    changed = replay.replay(Change(factors=np.full(len(tree), factor))).draws_ns

    assert all(now <= was + len(tree) for now, was in zip(changed, replay.unchanged.draws_ns, strict=True))
