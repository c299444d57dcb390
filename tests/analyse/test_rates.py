from __future__ import annotations

import sys

import numpy as np
import pytest

from longpole.analyse.rates import give, newest, per_group
from longpole.model.attribution import Resource
from tests.analyse.workloads import listed, ns, samples, work

CPU = Resource("cores", "cores", 4.0)


def used(given):
    return listed(given.attribution.phases, "used")


def test_where_each_sample_is_of_one_group_nothing_is_learned(monkeypatch):
    monkeypatch.setitem(sys.modules, "longpole.analyse.weights", None)  # to import it would fail

    given = give(work(("a", 0, 2), ("b", 2, 4)), samples((0, 2, 2.0), (2, 4, 0.5)), CPU)

    assert used(given) == pytest.approx([4.0, 1.0])


def test_where_samples_hold_several_groups_their_rates_are_learned():
    # a: 2 cores, b: 0.5; the sample in the middle holds a second of each
    rows = [("a", 0, 3), ("b", 3, 6)]
    given = give(work(*rows), samples((0, 2, 2.0), (2, 4, 1.25), (4, 6, 0.5)), CPU)

    assert used(given) == pytest.approx([6.0, 1.5])


def test_from_rates_that_hardly_differ_nothing_is_learned():
    rows = [
        (kind, at + shift, at + shift + 0.5) for at in range(8) for kind, shift in (("a", 0.0), ("b", 0.5))
    ]
    rates = (0.98, 1.02, 1.0, 0.99, 1.03, 0.97, 1.0, 1.01)

    given = give(work(*rows), samples(*((at, at + 1, rate) for at, rate in enumerate(rates))), CPU)

    assert used(given) == pytest.approx([0.5] * 16, rel=0.04)


def test_a_group_that_uses_nothing_beside_others_still_has_what_is_used_while_it_is_alone():
    rows = [("a", 0, 3), ("b", 3, 6), ("a", 6, 7), ("b", 7, 9)]
    given = give(work(*rows), samples((0, 2, 2.0), (2, 4, 1.0), (4, 6, 0.01), (6, 8, 1.0)), CPU)

    assert used(given)[1] == pytest.approx(0.02, abs=0.01)
    assert sum(used(given)) == pytest.approx(8.02)


def test_the_newest_phase_is_that_which_began_last():
    workload = work(("a", 0, 10), ("b", 4, 6))

    assert newest(workload, np.array([ns(-1), ns(1), ns(5), ns(8)])).tolist() == [-1, 0, 1, 1]


def test_values_are_added_up_by_group():
    assert per_group(work(("a", 0, 1), ("b", 1, 2), ("a", 2, 3)), np.array([1.0, 2.0, 4.0])).tolist() == [
        5.0,
        2.0,
    ]
