"""What was measured of one thing, over time."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.gauge import gauges, gpus_busy
from tests.analyse.planted import Planted, S


def seconds(*values: float) -> np.ndarray:
    return np.array([round(value * S) for value in values], np.int64)


def test_a_mean_counts_each_sample_by_its_overlap():
    run = Planted(10.0)
    run.sample("gpu", "busy", 0.0, 4.0, 1.0, scope="device")
    run.sample("gpu", "busy", 4.0, 10.0, 0.5, scope="device")

    (gauge,) = gauges(run.case().samples, "gpu", "busy", "device")

    assert gauge.mean(seconds(2.0, 6.0), seconds(5.0, 7.0)) == pytest.approx((2 * 1.0 + 2 * 0.5) / 4)


def test_what_was_not_measured_is_not_taken_for_idle():
    run = Planted(10.0)
    run.sample("gpu", "busy", 0.0, 2.0, 1.0, scope="device")

    (gauge,) = gauges(run.case().samples, "gpu", "busy", "device")

    assert gauge.mean(seconds(0.0), seconds(4.0)) == pytest.approx(1.0)
    assert gauge.mean(seconds(0.0), seconds(5.0)) is None


def test_each_name_and_owner_has_a_gauge():
    run = Planted(10.0)
    for name, owner in (("A #0", 1), ("A #1", 1), ("A #0", 2)):
        run.sample("gpu", "busy", 0.0, 1.0, 0.5, name=name, owner=owner, scope="device", capacity=1.0)

    found = gauges(run.case().samples, "gpu", "busy", "device")

    assert sorted(gauge.name for gauge in found) == ["A #0", "A #0", "A #1"]
    assert {gauge.capacity for gauge in found} == {1.0}


def test_what_the_run_did_on_a_gpu_comes_before_what_all_did():
    run = Planted(10.0)
    run.sample("gpu", "busy", 0.0, 1.0, 0.9, scope="device")
    run.sample("gpu", "busy", 0.0, 1.0, 0.4, scope="tree")

    (gauge,) = gpus_busy(run.case().samples)

    assert gauge.values.tolist() == [0.4]
