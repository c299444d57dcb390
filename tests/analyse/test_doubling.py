"""Twice as many at once."""

from __future__ import annotations

import pytest

from longpole.analyse.doubling import doubled
from longpole.analyse.replay import Replay
from tests.analyse.planted import Planted


def pool(count: int, at_once: int) -> Planted:
    """So many tasks of one second, each started a moment before another ends."""
    rounds = -(-count // at_once)
    run = Planted(float(rounds))
    main = run.phase("process", "xargs", 0.0, float(rounds), process=99)
    for number in range(count):
        start = number // at_once + 0.001 * (number % at_once)
        run.phase("process", "fit", start, start + 1.0, parent=main, process=number + 1)
    return run


def test_a_queue_of_work_takes_half_as_long():
    run = pool(12, at_once=2)

    found = doubled(run.case(), Replay(run.tree()))

    assert found is not None
    assert (found.label, found.slots) == ("fit", 2)
    assert found.saving_s == pytest.approx(3.0, abs=0.1)


def test_what_ran_all_at_once_has_no_queue():
    run = pool(4, at_once=4)

    assert doubled(run.case(), Replay(run.tree())) is None


def test_one_after_the_other_is_no_queue_that_is_known():
    run = Planted(4.0)
    for at in range(4):
        run.phase("process", "step", float(at), at + 1.0, process=at + 1)

    assert doubled(run.case(), Replay(run.tree())) is None
