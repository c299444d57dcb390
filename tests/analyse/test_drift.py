from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.drift import drift, in_turns


@pytest.mark.parametrize("order", ["ab", "abab", "abbaabba", "abcacbbca", "aba", "bab", "abcab"])
def test_groups_that_follow_each_other_take_turns(order: str) -> None:
    assert in_turns(order)


@pytest.mark.parametrize("order", ["aaaaabbbbb", "aaabab", "aaaabbbbaaaabbbbcccc"])
def test_a_group_that_comes_first_does_not_take_turns(order: str) -> None:
    assert not in_turns(order)


def test_a_step_of_the_machine_is_found_and_the_difference_of_groups_is_not() -> None:
    """Half-way all runs become 10 % slower; the second group is 30 % slower all the time."""
    groups = np.array([0, 1] * 20)
    step = np.where(np.arange(40) < 20, 0.0, 0.1)
    values = step + 0.3 * groups

    found = drift(values, groups)

    assert np.ptp(found) == pytest.approx(0.1)
    assert found[:9] == pytest.approx(found[0])
    assert found[-9:] == pytest.approx(found[0] + 0.1)


def test_a_single_slow_run_is_no_drift() -> None:
    values = np.zeros(20)
    values[7] = 1.0

    assert drift(values, np.array([0, 1] * 10)) == pytest.approx(np.zeros(20))


def test_five_rounds_are_too_few_for_a_drift() -> None:
    assert not drift(np.arange(10.0), np.array([0, 1] * 5)).any()
