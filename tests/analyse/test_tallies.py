from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse import tallies
from longpole.analyse.tallies import Bin, Tally, bins_of, percentile, read_tally
from longpole.log.slots import BINS, bin_of, bin_start

DURATIONS = st.lists(st.integers(1, 50_000_000_000), min_size=1, max_size=60)


def binned(durations):
    starts: dict[int, int] = {}
    for duration in durations:
        start = bin_start(bin_of(duration))
        starts[start] = starts.get(start, 0) + 1
    return starts


def test_bins_are_those_of_the_log():
    assert (bin_start(0), bin_start(BINS - 1)) == (tallies._FIRST_NS, tallies._LAST_NS)
    for at in range(BINS - 1):
        (only,) = bins_of({bin_start(at): 1}, 0.0, 1)

        assert only == Bin(bin_start(at) if at else 0, bin_start(at + 1), 1)


def test_percentiles_of_two_bins_worked_by_hand():
    # 8 durations from 100 to 200 ns, 2 from 200 to 300: the median is 5/8 into the first
    bins = [Bin(100, 200, 8), Bin(200, 300, 2)]

    assert percentile(bins, 0.5) == 162.5
    assert percentile(bins, 0.9) == 250.0
    assert percentile([], 0.5) is None


def test_bins_that_overlap_are_added_up():
    # below 200 ns: all of the first bin and half of the second, which is two thirds of all
    assert percentile([Bin(100, 200, 1), Bin(150, 250, 2)], 2 / 3) == pytest.approx(200.0)


def test_without_a_histogram_all_are_taken_to_be_the_mean():
    bins = bins_of({}, 1200.0, 4)

    assert bins == [Bin(300, 300, 4)]
    assert percentile(bins, 0.5) == percentile(bins, 0.95) == 300.0


def test_the_last_bin_reaches_as_far_as_the_total_says():
    start = bin_start(BINS - 1)

    (only,) = bins_of({start: 2}, 2 * 600e9, 2)

    assert (only.low_ns + only.high_ns) / 2 == pytest.approx(600e9)


@given(DURATIONS, st.sampled_from([0.0, 0.5, 0.95, 1.0]))
def test_a_percentile_is_within_a_quarter_of_the_true_one(durations, share):
    found = percentile(bins_of(binned(durations), sum(durations), len(durations)), share)

    durations.sort()
    low = durations[max(0, int(share * len(durations)) - 1)]
    high = durations[min(len(durations) - 1, int(share * len(durations)) + 1)]
    assert found is not None
    assert min(low / 1.25, low - 320) <= found <= max(high * 1.25, 320)


@given(DURATIONS)
def test_percentiles_rise_and_stay_within_the_bins(durations):
    bins = bins_of(binned(durations), sum(durations), len(durations))

    found = [percentile(bins, share) or 0.0 for share in (0.0, 0.1, 0.5, 0.9, 1.0)]

    assert found == sorted(found)
    assert bins[0].low_ns <= found[0]
    assert found[-1] <= bins[-1].high_ns


@pytest.mark.parametrize(
    "attributes",
    [
        *("", "x", "null", "[]", "3", "[" * 100_000, "1" * 10_000, '{"bins": {}, "parts_ns": []}'),
        '{"bins": [3, [1], [1, 2, 3], ["a", 1], [1, null], [-1, 1], [1.5, 2], [true, 1], [1e400, 1]]}',
        '{"bins": [[99999999999999999999999999, 1], [1, 99999999999999999999999999]]}',
        '{"parts_ns": {"data": -1, "forward": "x", "backward": 1e300, "lunch": 4, "optimizer": [1]}}',
    ],
)
def test_attributes_that_are_not_ours_say_nothing(attributes):
    assert read_tally(attributes) == Tally()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["bins", "parts_ns", "data"]), inner),
    )
)
def test_no_attributes_raise(value):
    tally = read_tally(json.dumps(value))

    for share in (0.0, 0.5, 1.0):
        percentile(bins_of(tally.bins, 1.0, 1), share)
