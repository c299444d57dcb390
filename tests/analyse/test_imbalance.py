from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.imbalance import imbalance
from longpole.model.columns import Column, Columns, integers, texts
from tests.analyse.workloads import listed, ns


def siblings(*rows):
    """Rows of a parent, a kind, a lane, a begin and an end; ids from 1."""
    return Columns(
        {
            "id": integers(list(range(1, len(rows) + 1))),
            "parent": integers([row[0] for row in rows]),
            "kind": texts([row[1] for row in rows]),
            "lane": integers([row[2] for row in rows]),
            "start_ns": integers([ns(row[3]) for row in rows]),
            "end_ns": integers([ns(row[4]) for row in rows]),
        }
    )


def workers(*lengths, at=0.0, parent=7):
    return [(parent, "work", lane, at, at + length) for lane, length in enumerate(lengths)]


def test_siblings_side_by_side_lose_the_longest_less_the_mean():
    # 4, 4, 4 and 8 s: evenly shared it would be 5 s, so 3 s are lost
    found = imbalance(siblings(*workers(4, 4, 4, 8)))

    assert listed(
        found.waves, "parent", "kind", "lanes", "mean_s", "longest_s", "imbalance_s", "longest"
    ) == [(7, "work", 4, 5.0, 8.0, 3.0, 4)]
    assert [(one.kind, one.waves, one.phases, one.lost_s) for one in found.kinds] == [("work", 1, 4, 3.0)]


def test_waves_in_sequence_add_up():
    # 1 and 3 s lose 1 s, then 2 and 6 s lose 2 s
    found = imbalance(siblings(*workers(1, 3), *workers(2, 6, at=3)))

    assert listed(found.waves, "start_ns", "imbalance_s") == [(0, 1.0), (ns(3), 2.0)]
    assert found.kinds[0].lost_s == 3.0


def test_waves_of_two_parents_at_the_same_time_count_once_with_the_larger():
    found = imbalance(siblings(*workers(1, 3), *workers(2, 6, parent=8)))

    assert sorted(listed(found.waves, "parent", "imbalance_s")) == [(7, 1.0), (8, 2.0)]
    assert found.kinds[0].lost_s == 2.0


def test_what_one_lane_does_in_sequence_is_added_up():
    # a pool of two: lane 0 works 1 + 2 s, lane 1 works 5 s
    rows = [(7, "work", 0, 0, 1), (7, "work", 0, 1, 3), (7, "work", 1, 0, 5)]
    found = imbalance(siblings(*rows))

    assert listed(found.waves, "lanes", "mean_s", "imbalance_s", "longest") == [(2, 4.0, 1.0, 3)]


def test_siblings_in_sequence_lose_nothing_and_are_not_listed():
    found = imbalance(siblings((7, "work", 0, 0, 1), (7, "work", 0, 1, 9)))

    assert (found.kinds, found.waves.rows, found.stragglers.rows) == ((), 0, 0)


def test_kinds_are_not_compared_with_each_other():
    found = imbalance(siblings((7, "read", 0, 0, 1), (7, "work", 1, 0, 9)))

    assert found.kinds == ()


def test_unknown_parents_are_siblings_and_unknown_lanes_differ():
    found = imbalance(siblings((None, "work", None, 0, 1), (None, "work", None, 0, 3)))

    assert listed(found.waves, "parent", "lanes", "imbalance_s") == [(None, 2, 1.0)]


def test_a_straggler_is_far_beyond_the_others_by_both_rules():
    # median 10, distances 0.2, 0.1, 0, 0.1, 5: their median is 0.1; the limit is max(10.5, 12)
    found = imbalance(siblings(*workers(9.8, 9.9, 10, 10.1, 15)))

    assert listed(found.stragglers, "wave", "lane", "phase", "seconds", "median_s") == [(0, 4, 5, 15.0, 10.0)]
    assert (found.kinds[0].straggling_waves, found.kinds[0].worst_lane) == (1, 4)


def test_neither_rule_alone_makes_a_straggler():
    # 11.9 is beyond 10.5, but not beyond 1.2 times the median
    assert imbalance(siblings(*workers(9.8, 9.9, 10, 10.1, 11.9))).stragglers.rows == 0
    # 16 is beyond 1.2 times the median of 10, but these differ by 3 anyway
    assert imbalance(siblings(*workers(4, 7, 10, 13, 16))).stragglers.rows == 0
    # of two, nobody knows which one is the rule
    assert imbalance(siblings(*workers(1, 9))).stragglers.rows == 0


def test_the_lane_that_straggles_most_often_is_named():
    rows = [*workers(1, 1, 1, 5), *workers(1, 1, 1, 5, at=10), *workers(5, 1, 1, 1, at=20)]

    found = imbalance(siblings(*rows)).kinds[0]

    assert (found.straggling_waves, found.worst_lane, found.worst_lane_waves) == (3, 3, 2)


def test_nothing_is_in_balance():
    found = imbalance(siblings())

    assert (found.kinds, found.waves.rows, found.stragglers.rows) == ((), 0, 0)


ROWS = st.lists(
    st.tuples(
        st.integers(1, 3), st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 20), st.integers(0, 9)
    ).map(lambda row: (*row[:4], row[3] + row[4])),
    max_size=20,
)


@given(ROWS)
def test_a_loss_is_never_below_zero_nor_more_than_the_longest_lane(rows):
    found = imbalance(siblings(*rows))

    for lanes, mean, longest, lost in listed(found.waves, "lanes", "mean_s", "longest_s", "imbalance_s"):
        assert 0 <= lost == pytest.approx(longest - mean, abs=1e-9)
        assert lost <= longest * (1 - 1 / lanes) + 1e-9
    for one in found.kinds:
        losses = [row[1] for row in listed(found.waves, "kind", "imbalance_s") if row[0] == one.kind]
        assert max(losses) - 1e-9 <= one.lost_s <= sum(losses) + 1e-9


@given(ROWS)
def test_stragglers_took_longer_than_their_wave(rows):
    found = imbalance(siblings(*rows))

    longest = listed(found.waves, "longest_s")
    for wave, took, median in listed(found.stragglers, "wave", "seconds", "median_s"):
        assert 1.2 * median < took <= longest[wave]


def test_a_hundred_thousand_siblings_are_compared():
    rng = np.random.default_rng(5)
    count = 100_000
    start = np.repeat(np.arange(count // 8) * ns(10), 8)
    end = start + rng.integers(ns(1), ns(9), count)
    columns = {
        "id": np.arange(count),
        "parent": np.zeros(count, np.int64),
        "lane": np.tile(np.arange(8), count // 8),
        "start_ns": start,
        "end_ns": end,
    }
    table = {name: Column(values.data) for name, values in columns.items()}
    kind = Column(np.zeros(count, np.int32).data, words=("work",))

    found = imbalance(Columns({**table, "kind": kind}))

    lengths = ((end - start) / 1e9).reshape(-1, 8)
    assert found.kinds[0].waves == count // 8
    assert found.kinds[0].lost_s == pytest.approx((lengths.max(axis=1) - lengths.mean(axis=1)).sum())
