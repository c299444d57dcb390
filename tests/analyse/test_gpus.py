from __future__ import annotations

import math

import pytest

from longpole.analyse.gpus import gpu_use
from longpole.model.overview import GpuUse
from tests.analyse.evidence import table


def test_the_runs_own_use_is_shown_where_the_driver_tells_it():
    rows = table(
        "gpus",
        (1, "H200 #0", "device", "busy", 9.0, 10.0, 1.0),
        (1, "H200 #0", "device", "memory used", 80.0, 10.0, 9000.0),
        (1, "H200 #0", "tree", "busy", 5.0, 10.0, 0.8),
        (1, "H200 #0", "tree", "memory used", 60.0, 10.0, 7000.0),
    )

    assert gpu_use(rows) == (GpuUse("H200 #0", 50.0, 7000, "tree"),)


@pytest.mark.parametrize("amount", [None, math.nan])
def test_the_whole_device_is_shown_where_the_driver_does_not_tell(amount):
    rows = table(
        "gpus",
        (1, "H200 #0", "device", "busy", 9.0, 10.0, 1.0),
        (1, "H200 #0", "device", "memory used", 80.0, 10.0, 9000.0),
        (1, "H200 #0", "tree", "busy", amount, 0.0, None),
        (1, "H200 #0", "tree", "memory used", 0.0, 10.0, 0.0),
    )

    assert gpu_use(rows) == (GpuUse("H200 #0", 90.0, 9000, "device"),)


def test_equal_gpus_of_two_hosts_stay_apart():
    rows = table(
        "gpus", (1, "A #0", "device", "busy", 1.0, 10.0, 1.0), (2, "A #0", "device", "busy", 2.0, 10.0, 1.0)
    )

    assert [gpu.busy_percent for gpu in gpu_use(rows)] == [pytest.approx(10.0), pytest.approx(20.0)]
