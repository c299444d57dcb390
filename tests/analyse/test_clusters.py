"""Phases that may run side by side though they did not, and shorter gaps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from longpole.analyse.change import Change
from longpole.analyse.replay import Replay
from tests.analyse.planted import Planted, S


def trials() -> Planted:
    """Four trials of 2 s, 1 s apart, with a save of 1 s in the middle; 12 s in a search of a process."""
    run = Planted(14.0)
    process = run.phase("process", "python", 0.0, 14.0)
    search = run.phase("search", "study", 1.0, 13.0, parent=process)
    for start in (1.0, 4.0, 8.0, 11.0):
        run.phase("trial", "trial", start, start + 2.0, parent=search)
    run.phase("phase", "save", 6.0, 7.0, parent=search)
    return run


def replayed(run: Planted, change: Change) -> float:
    return Replay(run.tree()).replay(change).makespan_ns / S


@pytest.mark.parametrize(("slots", "seconds"), [(1, 14.0), (2, 9.0), (4, 6.0), (9, 6.0)])
def test_what_may_run_side_by_side_does(slots, seconds):
    run = trials()
    abreast = run.tree().places_of_kind("trial")

    # 2 s around the search, 1 s of saving, and the trials, most of them with a gap of 1 s before
    assert replayed(run, Change(slots={2: slots}, abreast=abreast)) == pytest.approx(seconds)


def test_what_depends_on_another_still_waits_for_it():
    tree = trials().tree()
    abreast = tree.places_of_kind("trial")
    after = {int(later): [int(before)] for before, later in pairwise(abreast)}

    chain = Replay(tree, after).replay(Change(slots={2: 4}, abreast=abreast))

    assert chain.makespan_ns == pytest.approx(14 * S)


def test_what_is_abreast_may_change_its_time_as_well():
    run = trials()
    tree = run.tree()
    abreast = tree.places_of_kind("trial")
    factors = np.where(np.isin(np.arange(len(tree)), abreast), 0.5, 1.0)

    assert replayed(run, Change(factors=factors, slots={2: 4}, abreast=abreast)) == pytest.approx(5.0)


def test_gaps_before_parts_that_overlap_shrink():
    run = Planted(12.0)
    for start, end in ((0.0, 4.0), (1.0, 5.0), (6.0, 10.0), (8.0, 12.0)):
        run.phase("job", "align", start, end)
    tree = run.tree()

    assert replayed(run, Change()) == pytest.approx(12.0)
    shorter = Change(factors=np.where(np.arange(len(tree)) == 0, 0.0, 1.0), gaps={0: 0.0})
    assert replayed(run, shorter) == pytest.approx(8.0)
