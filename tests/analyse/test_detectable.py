from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.detectable import runs_needed, seen_shift
from longpole.analyse.rank_sum import p_value


def test_what_is_said_to_be_seen_is_seen_nine_times_in_ten() -> None:
    """Ten runs whose noise is as that of all runs: its quantiles."""
    noise = np.random.default_rng(1).normal(0, 0.05, 4000)
    drawn = np.random.default_rng(2)
    typical = np.quantile(noise, np.linspace(0.05, 0.95, 10))
    shift = seen_shift(typical, typical, 0.02)
    assert shift is not None

    shown = [
        p_value(list(drawn.choice(noise, 10)), list(drawn.choice(noise, 10) + shift)) <= 0.02
        for _ in range(300)
    ]

    assert 0.8 < np.mean(shown) < 0.99


def test_twice_the_noise_is_twice_what_is_seen() -> None:
    one, other = np.random.default_rng(3).normal(0, 0.03, (2, 10))

    first, second = seen_shift(one, other, 0.02), seen_shift(2 * one, 2 * other, 0.02)

    assert first is not None
    assert second == pytest.approx(2 * first)


def test_too_few_runs_see_nothing_and_equal_ones_see_all() -> None:
    assert seen_shift(np.zeros(3), np.ones(3), 0.02) is None
    assert seen_shift(np.zeros(5), np.ones(5), 0.02) == 0.0


def test_half_the_difference_takes_four_times_the_runs() -> None:
    assert runs_needed(0.10, 0.05, (10, 10)) == 40
    assert runs_needed(0.05, 0.10, (10, 10)) == 11
    assert runs_needed(0.10, 0.001, (10, 10)) is None
    assert runs_needed(0.10, 0.0, (10, 10)) is None


def test_what_is_seen_does_not_depend_on_what_is_in_memory_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = np.random.default_rng(5).normal(0, 0.03, (2, 12))
    at_once = seen_shift(one, other, 0.02)

    monkeypatch.setattr("longpole.analyse.detectable._AT_ONCE", 1000)

    assert seen_shift(one, other, 0.02) == at_once
