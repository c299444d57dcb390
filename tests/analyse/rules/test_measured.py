"""Curves of samples, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.lost import lost_shares
from longpole.analyse.rules.measured import Curve, cores_used, cpu_ns, edges_of, pressure, rows, summed
from tests.analyse.planted import Planted, S


def _planted() -> Planted:
    planted = Planted(10.0)
    top = planted.phase("process", "p", 0.0, 10.0, process=1)
    planted.phase("phase", "a", 0.0, 4.0, parent=top, process=1)
    planted.phase("phase", "b", 4.0, 8.0, parent=top, process=2)
    return planted


def test_samples_of_several_owners_add_up():
    planted = _planted()
    planted.sample("cpu", "used", 0.0, 4.0, 1.0, scope="process", owner=1, capacity=4.0)
    planted.sample("cpu", "used", 2.0, 6.0, 0.5, scope="process", owner=2, capacity=4.0)
    planted.sample("cpu", "user", 0.0, 6.0, 3.0, owner=1, capacity=4.0)
    case = planted.case()

    found = rows(case, "cpu", "used", scope="process")
    curve = summed(found, edges_of(found))

    assert curve.values.tolist() == pytest.approx([1.0, 1.5, 0.5])
    assert curve.mean(0, 6 * S) == pytest.approx(1.0)
    assert cores_used(case, np.array([2]), 0, 4 * S) == pytest.approx(0.25)
    assert cores_used(case, np.array([3]), 0, 4 * S) is None


def test_capacities_count_once_for_each_host():
    planted = _planted()
    for second in range(3):
        planted.sample("cpu", "user", second, second + 1.0, 1.0, owner=1, capacity=4.0)
        planted.sample("cpu", "user", second, second + 1.0, 1.0, owner=2, capacity=8.0)

    assert rows(planted.case(), "cpu", "user").capacity == 12.0


def test_pressure_is_averaged_over_hosts():
    planted = _planted()
    planted.sample("pressure", "io some", 0.0, 10.0, 0.8, owner=1)
    planted.sample("pressure", "io some", 0.0, 10.0, 0.2, owner=2)
    case = planted.case()

    found = pressure(case, "io some")

    assert found is not None
    assert found.values.tolist() == pytest.approx([0.5])
    assert pressure(case, "memory some") is None


def test_cpu_of_phases_is_that_of_their_process():
    planted = _planted()
    planted.sample("cpu", "used", 0.0, 5.0, 0.8, scope="process", owner=1)

    assert cpu_ns(planted.case())[1:3].tolist() == pytest.approx([4.0 * S, 3.2 * S])
    assert np.isnan(cpu_ns(planted.case())[[0, 3]]).all()


def test_lost_time_is_that_of_the_phase_that_lost_it():
    case = _planted().case()
    lost = Curve(np.array([0, 2, 9, 10]) * S, np.array([0.0, 1.0, 0.5]))

    # The run's own time is nobody's; of the process's own, 8 to 10 s, one second and a half is lost.
    assert lost_shares(case, lost).tolist() == pytest.approx([0.0, 0.75, 0.5, 1.0])
