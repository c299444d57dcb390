from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longpole.analyse.comparison import compare
from longpole.model.comparison import ComparedRun, Difference, Metric
from tests.analyse.noise import BUSY, Noise, compared, series

# As repeats of real workflows on a shared machine are: `docs/methods/compare.md` has their numbers.
REALISTIC = Noise(sd=0.04, drift=0.02, far_off=0.05)
TRIALS = 200


def difference(runs: list[ComparedRun], *groups: str) -> Difference:
    """Return how the second group differs from the first."""
    return compare(runs, groups or ("a", "b"), [Metric.END_TO_END]).metrics[0].differences[0]


def runs_of(**groups: list[float]) -> list[ComparedRun]:
    """Return runs of groups that take turns."""
    longest = max(len(times) for times in groups.values())
    dealt = [
        (group, times[at]) for at in range(longest) for group, times in groups.items() if at < len(times)
    ]
    return [compared(group, seconds, at=at) for at, (group, seconds) in enumerate(dealt)]


def test_a_difference_worked_by_hand() -> None:
    """Of the 25 ratios the median is 1.2; all of 'b' is above all of 'a': p is 2 of 252 ways.

    With 2 of 252 ways at each side the level is 0.016; with one more it would be 0.032, above 0.02. So the
    interval ends at the second smallest and the second largest ratio.
    """
    one = difference(runs_of(a=[10.0] * 3 + [10.1, 9.9], b=[12.0] * 3 + [12.12, 11.88]))

    assert one.ratio == pytest.approx(1.2)
    assert one.p == pytest.approx(2 / 252)
    assert one.p_corrected == one.p
    assert one.shown
    assert one.low == pytest.approx(11.88 / 10)
    assert one.high == pytest.approx(12 / 9.9)
    assert one.ratio_of_means == pytest.approx(1.2)


def test_three_runs_of_each_can_show_nothing() -> None:
    one = difference(runs_of(a=[1.0, 1.1, 1.2], b=[5.0, 5.1, 5.2]))

    assert not one.shown
    assert not one.can_be_shown
    assert one.least_p == pytest.approx(0.1)
    assert (one.low, one.high, one.seen) == (None, None, None)


def test_few_runs_that_are_shown_to_differ_beside_others_can_be_shown() -> None:
    """Of a group of three none is below 2 of 286 ways, which is shown only where others are surer."""
    ten = [0.01 * at for at in range(10)]
    runs = runs_of(
        a=[10 + x for x in ten],
        b=[12 + x for x in ten],
        c=[13 + x for x in ten],
        d=[20.0, 20.1, 20.2],
    )

    [found] = compare(runs, "abcd", [Metric.END_TO_END]).metrics
    last = found.difference("d")

    assert last is not None
    assert last.least_p > last.needed_p
    assert (last.shown, last.can_be_shown) == (True, True)


def test_times_of_zero_have_no_ratio_but_differ_all_the_same() -> None:
    """What is not staged takes no time at all."""
    one = difference(runs_of(a=[1.0, 1.1, 1.2, 1.3, 1.4, 1.5], b=[0.0] * 6))

    assert one.shown
    assert (one.ratio, one.low, one.high, one.ratio_of_means) == (None, None, None, None)


def test_the_time_that_decides_is_corrected_for_its_groups_only() -> None:
    runs = [
        compared("abc"[at % 3], 10.0 + at / 7 % 1, at=at, cpu=1.0 + at / 3 % 1, compute=2.0 + at / 5 % 1)
        for at in range(30)
    ]

    first, *others = compare(runs, ["a", "b", "c"], [Metric.END_TO_END, Metric.CPU, Metric.COMPUTE]).metrics

    assert [one.metric for one in (first, *others)] == [Metric.END_TO_END, Metric.CPU, Metric.COMPUTE]
    assert [one.needed_p for one in first.differences] == pytest.approx([0.02 / 2] * 2)
    assert [one.needed_p for other in others for one in other.differences] == pytest.approx([0.02 / 4] * 4)


def test_one_group_has_times_and_no_difference() -> None:
    (only,) = compare(runs_of(a=[1.0, 2.0, 3.0]), ["a"], [Metric.END_TO_END]).metrics

    assert (only.groups[0].mean_s, only.groups[0].sd_s, only.groups[0].median_s) == (2.0, 1.0, 2.0)
    assert only.differences == ()


def test_a_drift_of_the_machine_does_not_hide_a_difference() -> None:
    """The machine grows slower by half while 'b' is 10 % slower than 'a' all the time."""
    slower = np.exp(np.linspace(0, 0.4, 24))
    wobble = np.random.default_rng(3).normal(1, 0.01, 24)
    runs = [
        compared("ab"[at % 2], float(10 * slower[at] * wobble[at] * (1.1 if at % 2 else 1.0)), at=at)
        for at in range(24)
    ]
    unordered = [ComparedRun(run.run, run.group, None, run.seconds) for run in runs]

    assert difference(runs).shown
    assert difference(runs).ratio == pytest.approx(1.1, abs=0.02)
    assert not difference(unordered).shown


@given(
    st.lists(st.floats(1.0, 100.0), min_size=5, max_size=8),
    st.lists(st.floats(1.0, 100.0), min_size=5, max_size=8),
)
@settings(max_examples=40, deadline=None)
def test_swapping_the_groups_inverts_the_ratio(one: list[float], other: list[float]) -> None:
    runs = runs_of(a=one, b=other)

    forth, back = difference(runs, "a", "b"), difference(runs, "b", "a")

    assert forth.p == pytest.approx(back.p)
    assert forth.ratio is not None
    assert back.ratio == pytest.approx(1 / forth.ratio)
    assert forth.low is not None
    assert back.high == pytest.approx(1 / forth.low)


@given(
    st.lists(st.integers(3, 9), min_size=6, max_size=9), st.lists(st.integers(3, 9), min_size=6, max_size=9)
)
@example([6, 3, 3, 3, 5, 3, 4, 5], [8, 7, 6, 5, 6, 6, 9, 7])
@settings(max_examples=200, deadline=None)
def test_test_and_interval_agree_even_where_times_are_equal(one: list[int], other: list[int]) -> None:
    found = difference(runs_of(a=[float(each) for each in one], b=[float(each) for each in other]))

    assert found.low is not None
    assert found.high is not None
    assert found.shown == (not found.low <= 1 <= found.high)


@given(st.lists(st.floats(1.0, 100.0), min_size=5, max_size=8), st.floats(0.01, 100.0))
@settings(max_examples=40, deadline=None)
def test_another_unit_of_time_changes_nothing(times: list[float], unit: float) -> None:
    runs = runs_of(a=times, b=[seconds * 1.3 for seconds in times])
    scaled = runs_of(a=[seconds * unit for seconds in times], b=[seconds * unit * 1.3 for seconds in times])

    assert difference(scaled).ratio == pytest.approx(difference(runs).ratio)


@given(st.lists(st.floats(1.0, 100.0), min_size=6, max_size=9))
@settings(max_examples=40, deadline=None)
def test_a_third_group_makes_nothing_more_sure(times: list[float]) -> None:
    two = runs_of(a=times, b=[seconds * 1.1 for seconds in times])
    three = runs_of(a=times, b=[seconds * 1.1 for seconds in times], c=[5.0] * len(times))
    unordered = [
        [ComparedRun(run.run, run.group, None, run.seconds) for run in runs] for runs in (two, three)
    ]

    alone, among = difference(unordered[0], "a", "b"), difference(unordered[1], "a", "b", "c")

    assert among.p == alone.p
    assert among.p_corrected >= alone.p_corrected


def test_p_is_no_smaller_than_chance_makes_it() -> None:
    """Of equal groups, at most one in ten has a p up to 0.1, one in fifty up to 0.02, and so on."""
    drawn = np.random.default_rng(11)

    ps = np.array([difference(series(REALISTIC, drawn)).p for _ in range(600)])

    for level in (0.02, 0.05, 0.1, 0.3):
        assert (ps <= level).mean() <= level + 3 * np.sqrt(level * (1 - level) / len(ps))


def test_intervals_hold_the_true_ratio_as_often_as_they_say() -> None:
    drawn = np.random.default_rng(12)

    found = [difference(series(REALISTIC, drawn, ratios=(1.0, 1.1))) for _ in range(300)]

    held = [one.low <= 1.1 <= one.high for one in found if one.low is not None and one.high is not None]
    assert np.mean(held) >= 0.96


@pytest.mark.parametrize("seed", range(3))
def test_ten_runs_of_the_same_thing_show_no_difference(seed: int) -> None:
    drawn = np.random.default_rng(seed)

    shown = sum(difference(series(REALISTIC, drawn)).shown for _ in range(TRIALS))

    assert shown <= 0.05 * TRIALS


def test_real_repeats_that_are_dealt_to_two_groups_show_no_difference() -> None:
    drawn = np.random.default_rng(6)

    shown = 0
    for _ in range(TRIALS):
        groups = [str(group) for _ in range(len(BUSY) // 2) for group in drawn.permutation(["a", "b"])]
        dealt = [
            compared(group, seconds, at=at)
            for at, (group, seconds) in enumerate(zip(groups, BUSY, strict=True))
        ]
        shown += difference(dealt).shown

    assert shown <= 0.05 * TRIALS


@pytest.mark.parametrize("seed", range(3))
def test_a_slow_down_of_ten_percent_is_found(seed: int) -> None:
    drawn = np.random.default_rng(seed)

    found = [difference(series(REALISTIC, drawn, ratios=(1.0, 1.1))) for _ in range(TRIALS)]

    assert sum(one.shown and one.ratio is not None and one.ratio > 1 for one in found) >= 0.9 * TRIALS


def test_four_groups_of_the_same_thing_show_no_difference() -> None:
    drawn = np.random.default_rng(5)
    groups = tuple("abcd")

    shown = 0
    for _ in range(TRIALS):
        runs = series(REALISTIC, drawn, ratios=(1.0,) * 4)
        (only,) = compare(runs, groups, [Metric.END_TO_END]).metrics
        shown += any(one.shown for one in only.differences)

    assert shown <= 0.05 * TRIALS
