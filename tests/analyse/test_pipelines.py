"""Processes that pipes join."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.change import Change
from longpole.analyse.demand import Demand
from longpole.analyse.pipelines import needed_shares
from longpole.analyse.replay import Replay
from tests.analyse.planted import Planted, S


def pipeline() -> Planted:
    """``sort | wc`` beside something of its own."""
    run = Planted(10.0)
    main = run.phase("process", "sh", 0.0, 10.0, process=9)
    for process, name in enumerate(("sort", "wc", "other"), start=1):
        run.phase("process", name, 0.0, 10.0 if process < 3 else 4.0, parent=main, process=process)
    return run


def test_all_but_the_busiest_need_only_what_they_computed():
    tree = pipeline().tree()

    found = needed_shares(tree, [(3, 4)], {1: 9.0 * S, 2: 1.0 * S, 3: 0.1 * S})

    assert found.tolist() == pytest.approx([1.0, 1.0, 1.0, 0.1, 1.0])


def test_a_faster_writer_makes_its_reader_faster():
    tree = pipeline().tree()
    needed = needed_shares(tree, [(3, 4)], {1: 9.0 * S, 2: 1.0 * S})
    replay = Replay(tree, demand=Demand(np.zeros(5), np.ones(5), needed=needed))

    saved = replay.saving_s(Change(factors=np.where(np.arange(5) == 2, 0.5, 1.0)))

    assert replay.error == 0.0
    assert saved == pytest.approx(5.0)


def test_groups_go_through_all_that_pipes_join():
    tree = pipeline().tree()

    found = needed_shares(tree, [(3, 4), (4, 5)], {1: 1.0 * S, 2: 1.0 * S, 3: 4.0 * S})

    assert found.tolist() == pytest.approx([1.0, 1.0, 0.1, 0.1, 1.0])
    assert needed_shares(tree, [], {}).tolist() == [1.0] * 5
    assert needed_shares(tree, [(77, 3)], {}).tolist() == [1.0] * 5
