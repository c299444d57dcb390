"""Training that stops to save checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.checkpoint import RULE
from tests.analyse.rules.shapes import SEEDS, first_of_ours, is_silent
from tests.analyse.rules.training import training


@SEEDS
def test_slow_checkpoints_come_first(seed):
    planted = training(seed, save=2.0)

    found = first_of_ours(planted.run)

    assert (found.rule, found.phase) == ("checkpoint", "save")
    assert found.saving_s == pytest.approx(planted.saved_s, rel=0.01)
    assert found.saving_low_s == pytest.approx(planted.saved_s / 2, rel=0.01)
    assert "async_save" in found.advice
    assert "3 times instead of 6" in found.advice


@SEEDS
def test_checkpoints_that_a_thread_saves_are_not_named(seed):
    rng = np.random.default_rng(seed)
    planted = training(seed)
    for start in range(5, 50, 10):
        took = rng.uniform(3.0, 6.0)
        planted.run.phase(
            "checkpoint", "save", start, start + took, parent=planted.process, process=1, lane=2
        )

    assert is_silent(planted.run, RULE)


@SEEDS
def test_short_checkpoints_are_not_named(seed):
    assert list(RULE.look(training(seed, save=0.2).run.case())) == []


def test_loading_is_not_saving():
    assert list(RULE.look(training(0, save=2.0, name="load").run.case())) == []
