from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from longpole.analyse.arrays import numbers
from longpole.analyse.attribution import attribute
from longpole.analyse.bottlenecks import bottlenecks
from longpole.model.attribution import Demand, Resource
from tests.analyse.test_attribution import BLOCKED, CAPACITIES, PHASES, RULES, large, sampled
from tests.analyse.workloads import listed, samples, work

CPU = Resource("cpu", "cores", 2.0)
DISK = Resource("disk", "bytes/s", 100.0)
ANY = {"a": Demand.variable()}
HELD = ("resource", "saturated_s", "locally_saturated_s", "blocked_s", "gain_s")


def held(found):
    return [tuple(row) for row in listed(found.resources, *HELD)]


def of_cpu(workload, rules, *rows):
    return attribute(workload, samples(*rows), CPU, rules)


def test_a_full_resource_holds_the_phases_that_ask_for_it():
    # 5 s at 2 of 2 cores, then 5 s at 0.5: saturated for half of the time. Were cores infinite, the first
    # half would vanish, and a quarter of the second
    workload = work(("a", 0, 10), ("other", 0, 10))
    found = bottlenecks(workload, [of_cpu(workload, ANY, (0, 5, 2.0), (5, 10, 0.5))])

    assert held(found) == [("cpu", 5.0, 0.0, 0.0, 6.25)]
    assert listed(found.phases, "bound_by", "active_s", "overhead_s", "unsampled_s") == [
        ("cpu", 10.0, 5.0, 0.0),
        (None, 10.0, 10.0, 0.0),
    ]


def test_a_phase_that_uses_all_it_may_is_held_locally():
    # one core of two: all that the phase asks for
    workload = work(("a", 0, 10))
    found = bottlenecks(workload, [of_cpu(workload, {"a": Demand.exact(1.0)}, (0, 10, 1.0))])

    assert held(found) == [("cpu", 0.0, 10.0, 0.0, 10.0)]
    assert listed(found.phases, "bound_by", "overhead_s") == [("cpu", 0.0)]


def test_saturation_begins_at_95_percent():
    workload = work(("a", 0, 3))
    found = bottlenecks(workload, [of_cpu(workload, ANY, (0, 1, 1.89), (1, 2, 1.9), (2, 3, 2.0))])

    assert listed(found.resources, "saturated_s") == [2.0]


def test_a_gain_ends_where_the_next_resource_holds():
    # cpu f = 1, disk f = 0.6: infinite cores save 0.4 of the time; an infinite disk saves nothing
    workload = work(("a", 0, 10))
    disk = attribute(workload, samples((0, 10, 60.0)), DISK, ANY)

    found = bottlenecks(workload, [of_cpu(workload, ANY, (0, 10, 2.0)), disk])

    assert [row[0] for row in held(found)] == ["cpu", "disk"]
    assert listed(found.resources, "gain_s") == pytest.approx([4.0, 0.0])
    assert listed(found.phases, "bound_by") == ["cpu"]


def test_blocked_time_counts_for_its_resource_and_gains_only_where_it_holds_alone():
    # gc 2-4 and lock 3-6 hold the phase for 4 s; the cores are idle
    workload = work(("a", 0, 10), blocked=[(1, "gc", 2, 4), (1, "lock", 3, 6)])
    found = bottlenecks(workload, [of_cpu(workload, ANY, (0, 10, 0.0))])

    assert held(found) == [
        ("cpu", 0.0, 0.0, 0.0, 0.0),
        ("gc", 0.0, 0.0, 2.0, 1.0),
        ("lock", 0.0, 0.0, 3.0, 2.0),
    ]
    assert listed(found.phases, "bound_by", "active_s", "blocked_s", "overhead_s") == [
        ("lock", 6.0, 4.0, 6.0)
    ]


def test_time_in_which_nothing_was_sampled_is_not_overhead():
    workload = work(("a", 0, 10))
    found = bottlenecks(workload, [of_cpu(workload, ANY, (0, 4, 0.5))])

    assert listed(found.phases, "overhead_s", "unsampled_s") == [(4.0, 6.0)]


def test_where_exact_demands_leave_nothing_the_use_of_all_counts():
    # b asks for both cores exactly, so nothing is available to a
    workload = work(("a", 0, 10), ("b", 0, 10))
    rules = {**ANY, "b": Demand.exact(2.0)}

    busy = bottlenecks(workload, [of_cpu(workload, rules, (0, 10, 2.0))])
    quiet = bottlenecks(workload, [of_cpu(workload, rules, (0, 10, 0.5))])

    assert listed(busy.resources, "saturated_s", "gain_s") == [(10.0, 10.0), (10.0, 10.0)]
    assert listed(quiet.resources, "saturated_s", "locally_saturated_s") == [(0.0, 0.0), (0.0, 0.0)]
    assert listed(quiet.resources, "gain_s") == pytest.approx([2.5, 2.5])


def test_an_unknown_capacity_is_never_saturated():
    workload = work(("a", 0, 10))
    found = bottlenecks(workload, [attribute(workload, samples((0, 10, 9.0)), Resource("disk", "B/s"), ANY)])

    assert held(found) == [("disk", 0.0, 0.0, 0.0, 0.0)]


def test_without_any_resource_all_is_overhead():
    found = bottlenecks(work(("a", 0, 10)), [])

    assert listed(found.phases, "overhead_s", "unsampled_s") == [(10.0, 0.0)]
    assert found.resources.rows == 0
    assert bottlenecks(work(), []).phases.rows == 0


@given(PHASES, BLOCKED, sampled(), sampled(), CAPACITIES)
def test_seconds_fit_into_the_phase(rows, blocked, observed, on_disk, capacity):
    workload = work(*rows, blocked=blocked)
    cpu = Resource("cpu", "cores", capacity)
    scaled = samples(*((start, end, rate * capacity) for start, end, rate in observed))
    parts = [attribute(workload, scaled, cpu, RULES), attribute(workload, samples(*on_disk), DISK, RULES)]

    found = bottlenecks(workload, parts)

    active, blocked_s = (numbers(found.phases[name]) for name in ("active_s", "blocked_s"))
    lengths = np.array([end - start for _, start, end in rows], np.float64)
    assert active + blocked_s == pytest.approx(lengths)
    assert (numbers(found.phases["overhead_s"]) + numbers(found.phases["unsampled_s"]) <= active + 1e-9).all()
    of = dict(zip(listed(found.phases, "phase"), lengths, strict=True))
    for phase, _, saturated, local, held_s, gain in listed(found.resources, "phase", *HELD):
        assert 0 <= saturated + local + held_s <= of[phase] + 1e-9
        assert 0 <= gain <= of[phase] + 1e-9


@given(PHASES, BLOCKED, sampled(), CAPACITIES)
def test_with_one_resource_every_active_second_has_one_name(rows, blocked, observed, capacity):
    workload = work(*rows, blocked=blocked)
    scaled = samples(*((start, end, rate * capacity) for start, end, rate in observed))

    found = bottlenecks(workload, [attribute(workload, scaled, Resource("cpu", "cores", capacity), RULES)])

    total = numbers(found.phases["overhead_s"]) + numbers(found.phases["unsampled_s"])
    for phase, saturated, local in listed(found.resources, "phase", "saturated_s", "locally_saturated_s"):
        total[phase - 1] += saturated + local
    assert total == pytest.approx(numbers(found.phases["active_s"]), abs=1e-9)


def test_a_hundred_thousand_phases_are_told_what_held_them():
    workload, observed, capacity = large(100_000)
    parts = [
        attribute(workload, observed, Resource(name, "cores", capacity), RULES) for name in ("cpu", "io")
    ]

    found = bottlenecks(workload, parts)

    assert found.phases.rows == 100_000
