"""Training whose GPU is idle for most of the time."""

from __future__ import annotations

import pytest

from longpole.analyse.rules.idle_gpu import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import SEEDS, first_of_ours, is_silent
from tests.analyse.rules.training import gpu_busy, training


@SEEDS
@pytest.mark.parametrize("scope", ["device", "tree"])
def test_a_gpu_that_waits_for_the_host_comes_first(seed, scope):
    planted = training(seed, data=0.1, save=0.3)
    gpu_busy(planted.run, seed, planted.total_s, 0.25, scope)
    steps_s = planted.total_s - 1.0 - planted.saved_s

    found = first_of_ours(planted.run)

    assert (found.rule, found.phase) == ("idle-gpu", "step")
    assert found.saving_s == pytest.approx(0.75 * steps_s - planted.data_s, rel=0.03)
    assert found.saving_low_s == pytest.approx(found.saving_s / 2, rel=0.01)
    assert "H200 #0 was busy" in found.evidence[0]


@SEEDS
def test_what_waits_for_data_is_not_blamed_on_the_gpu(seed):
    planted = training(seed, data=0.75)
    gpu_busy(planted.run, seed, planted.total_s, 0.25)

    assert is_silent(planted.run, RULE)


@SEEDS
@pytest.mark.parametrize("busy", [0.0, 0.6])
def test_a_gpu_that_is_busy_or_not_used_is_left_alone(seed, busy):
    planted = training(seed)
    gpu_busy(planted.run, seed, planted.total_s, busy)

    assert is_silent(planted.run, RULE)


def test_nothing_is_said_without_samples():
    assert is_silent(training(0).run, RULE)


def test_nothing_is_said_where_only_the_begin_was_sampled():
    planted = training(0)
    gpu_busy(planted.run, 0, planted.total_s / 4, 0.2)

    assert is_silent(planted.run, RULE)


@SEEDS
def test_where_steps_were_counted_epochs_stand_for_them(seed):
    run = Planted(50.0)
    process = run.phase("process", "python", 0.0, 50.0, process=1)
    for start in (0.0, 25.0):
        epoch = run.phase("epoch", "epoch", start, start + 25.0, parent=process, process=1)
        run.phase("step", "step", start, start + 0.01, parent=epoch, process=1)
    gpu_busy(run, seed, 50.0, 0.3)

    found = first_of_ours(run)

    assert (found.rule, found.phase) == ("idle-gpu", "epoch")
    assert found.saving_s == pytest.approx(35.0, rel=0.03)
