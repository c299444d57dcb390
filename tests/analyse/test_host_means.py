from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.host_means import mean_of, measured, seconds_of
from longpole.model.columns import Columns, texts
from tests.analyse.planted import S
from tests.analyse.planted_bounds import PlantedUse


def means(found, *spans):
    start, end = (np.array([round(span[at] * S) for span in spans]) for at in (0, 1))
    return found.mean(start, end).tolist()


def test_parts_add_up_and_time_that_was_not_measured_does_not_count():
    run = PlantedUse(10.0)
    run.sample("cpu", "user", 0, 2, 1.0, owner=1, capacity=2.0)
    run.sample("cpu", "system", 0, 2, 0.5, owner=1, capacity=2.0)
    run.sample("cpu", "user", 4, 6, 0.25, owner=1, capacity=2.0)

    (found,) = measured(run.case().samples, 1, "cpu", "host", "user", "system")

    assert means(found, (0, 2), (1, 3), (2, 4), (1, 5)) == pytest.approx([1.5, 1.5, 0.0, 1.75 / 2])
    assert (found.capacity, seconds_of(found)) == (2.0, 4.0)


def test_each_disk_is_one_and_those_of_another_host_are_not_there():
    run = PlantedUse(10.0)
    for name, owner in (("vda", 1), ("vdb", 1), ("vdc", 2)):
        run.sample("disk", "busy", 0, 1, 0.5, name=name, owner=owner)

    found = measured(run.case().samples, 1, "disk", "host", "busy")

    assert [one.name for one in found] == ["vda", "vdb"]


def test_packets_are_no_bytes():
    run = PlantedUse(10.0)
    run.sample("network", "sent", 0, 1, 1000.0, name="eth0", owner=1)
    run.sample("network", "sent", 0, 1, 3.0, name="eth0", owner=1)
    samples = Columns({**run.case().samples, "unit": texts(["bytes/s", "packets/s"])})

    (found,) = measured(samples, 1, "network", "host", "sent")

    assert means(found, (0, 1)) == [1000.0]


def test_the_mean_of_several_is_one():
    run = PlantedUse(10.0)
    for name, busy in (("#0", 1.0), ("#1", 0.0)):
        run.sample("gpu", "busy", 0, 2, busy, name=name, scope="tree", owner=1)

    found = mean_of(measured(run.case().samples, 1, "gpu", "tree", "busy"), "GPU")

    assert found is not None
    assert means(found, (0, 2)) == [0.5]
    assert mean_of((), "GPU") is None
