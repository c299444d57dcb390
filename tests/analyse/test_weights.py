from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.weights import learn_weights
from longpole.model.attribution import Demand, Workload
from tests.analyse.workloads import many_phases, many_samples, samples, work


def weights(learned):
    return {one.kind: one.weight for one in learned.kinds}


def test_weights_are_the_rates_that_explain_the_samples():
    # a: 2 cores, b: 0.5. Second 0: a all the time. Second 1: half a, half b. Second 2: b all the time.
    learned = learn_weights(
        work(("a", 0, 1.5), ("b", 1.5, 3)), samples((0, 1, 2.0), (1, 2, 1.25), (2, 3, 0.5))
    )

    assert weights(learned) == pytest.approx({"a": 2.0, "b": 0.5})
    assert (learned.alike, learned.samples) == ((), 3)
    assert [one.active_s for one in learned.kinds] == [1.5, 1.5]
    assert [one.error for one in learned.kinds] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_exact_use_is_taken_off_first_and_kinds_of_no_use_are_left_out():
    # c takes exactly 1 core beside a, so a has 2 of the 3
    workload = work(("a", 0, 2), ("c", 0, 2), ("b", 2, 3), ("d", 0, 3))
    rules = {"c": Demand.exact(1.0), "d": Demand()}

    learned = learn_weights(workload, samples((0, 1, 3.0), (1, 2, 3.0), (2, 3, 0.5)), rules)

    assert weights(learned) == pytest.approx({"a": 2.0, "b": 0.5})


def test_longer_samples_weigh_more():
    # 3 s at 1 and 1 s at 2: the least squares of rates, weighted by length, is 1.25
    learned = learn_weights(work(("a", 0, 4)), samples((0, 3, 1.0), (3, 4, 2.0)))

    assert weights(learned) == pytest.approx({"a": 1.25})


def test_kinds_that_always_go_together_share_a_weight_and_are_named():
    # each second holds 0.6 s of a and 0.4 s of b, then c: only the mean of a and b can be known
    rows, observed = [], []
    for second in range(0, 20, 2):
        rows += [("a", second, second + 0.6), ("b", second + 0.6, second + 1), ("c", second + 1, second + 2)]
        observed += [(second, second + 1, 3.0), (second + 1, second + 2, 1.0)]

    learned = learn_weights(work(*rows), samples(*observed))

    assert learned.alike == (("a", "b"),)
    assert weights(learned) == pytest.approx({"a": 3.0, "b": 3.0, "c": 1.0})


def test_fewer_samples_than_kinds_make_groups():
    learned = learn_weights(work(("a", 0, 0.3), ("b", 0.3, 0.6), ("c", 0.6, 1)), samples((0, 1, 2.0)))

    assert [sorted(group) for group in learned.alike] == [["a", "b", "c"]]
    assert weights(learned) == pytest.approx({"a": 2.0, "b": 2.0, "c": 2.0})
    assert all(one.error is None for one in learned.kinds)


def test_kinds_that_noise_hides_are_not_told_apart():
    # a and b differ by a hundredth of their overlap with samples; the scatter of the samples is far larger
    rng = np.random.default_rng(1)
    rows, observed = [], []
    for second in range(60):
        middle = second + 0.5 + 0.005 * rng.normal()
        rows += [("a", second, middle), ("b", middle, second + 1)]
        observed.append((second, second + 1, float(max(0.0, 2 + rng.normal()))))

    learned = learn_weights(work(*rows), samples(*observed))

    assert learned.alike == (("a", "b"),)
    assert weights(learned)["a"] == weights(learned)["b"] == pytest.approx(2.0, rel=0.2)


def test_a_kind_that_was_never_sampled_has_no_weight():
    learned = learn_weights(work(("a", 0, 1), ("b", 5, 6)), samples((0, 1, 2.0)))

    assert weights(learned) == {"a": pytest.approx(2.0), "b": None}
    assert set(learned.demands) == {"a"}


def test_without_samples_or_phases_nothing_is_learned():
    assert weights(learn_weights(work(("a", 0, 1)), samples())) == {"a": None}
    assert learn_weights(work(), samples((0, 1, 1.0))).kinds == ()


@given(st.lists(st.floats(0, 8).map(lambda rate: round(rate, 3)), min_size=3, max_size=3), st.integers(0, 50))
def test_planted_rates_are_found_and_never_below_zero(rates, seed):
    rng = np.random.default_rng(seed)
    starts = np.arange(400) * 100_000_000
    kind = rng.integers(0, 3, 400)
    means = np.array(rates)[kind].reshape(40, 10).mean(axis=1)
    edges = np.arange(41) * 1_000_000_000
    workload = Workload(many_phases(kind, ("a", "b", "c"), starts, starts + 100_000_000))

    learned = learn_weights(workload, many_samples(edges[:-1], edges[1:], means))

    assert [one.weight for one in learned.kinds] == pytest.approx(rates, abs=1e-6)
    assert all(one.weight is not None and one.weight >= 0 for one in learned.kinds)


def test_rows_condensed_in_blocks_are_the_same_least_squares(monkeypatch):
    rng = np.random.default_rng(3)
    starts = np.arange(3000) * 100_000_000
    kind = rng.integers(0, 3, 3000)
    edges = np.arange(301) * 1_000_000_000
    workload = Workload(many_phases(kind, ("a", "b", "c"), starts, starts + 100_000_000))
    observed = many_samples(edges[:-1], edges[1:], rng.uniform(0, 4, 300))
    at_once = learn_weights(workload, observed)

    monkeypatch.setattr("longpole.analyse.weights._BLOCK_CELLS", 100)

    assert weights(learn_weights(workload, observed)) == pytest.approx(weights(at_once))
