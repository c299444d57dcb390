from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.interference import interference
from longpole.model.attribution import Resource
from tests.analyse.workloads import listed, samples

CPU = Resource("cpu", "cores", 4.0)


def test_others_are_what_the_run_leaves_of_the_host():
    # the host: 3 of 4 cores for 10 s; the run: 2 cores for 5 s, in two processes. 30 - 10 = 20 core-seconds
    host = samples((0, 5, 3.0), (5, 10, 3.0))
    found = interference(host, samples((0, 5, 1.5), (0, 5, 0.5)), CPU)

    assert (found.sampled_s, found.host, found.ours, found.others) == pytest.approx((10.0, 30.0, 10.0, 20.0))
    assert found.others_share == pytest.approx(0.5)
    assert listed(found.intervals, "host", "ours", "others") == [(3.0, 2.0, 1.0), (3.0, 0.0, 3.0)]
    assert found.contended_s == 0.0


def test_parts_of_the_hosts_use_add_up():
    found = interference(samples((0, 10, 1.0), (0, 10, 0.5)), samples(), CPU)

    assert found.others == pytest.approx(15.0)


def test_time_is_contended_while_all_is_used_and_others_use_some_of_it():
    host = samples((0, 1, 4.0), (1, 2, 3.8), (2, 3, 3.7), (3, 4, 4.0), (4, 5, 4.0))
    # others: 1, 0.8, 0.7 (but the host is not full), 0.05 (too little), 4 (but the run wants none)
    ours = samples((0, 1, 3.0), (1, 2, 3.0), (2, 3, 3.0), (3, 4, 3.95))

    assert interference(host, ours, CPU).contended_s == pytest.approx(2.0)


def test_errors_of_single_samples_cancel_over_the_run():
    # the run's use is seen a second late: by sample others are 2 and 0, over the run 0
    found = interference(samples((0, 1, 2.0), (1, 2, 0.0)), samples((1, 2, 2.0)), CPU)

    assert listed(found.intervals, "others") == [2.0, 0.0]
    assert found.others == 0.0


def test_samples_of_different_times_are_compared_over_the_hosts():
    # the run's sample of 4 s at 1 core lies half in the host's first sample and half in its second
    found = interference(samples((0, 4, 2.0), (4, 8, 2.0)), samples((2, 6, 1.0)), CPU)

    assert listed(found.intervals, "ours") == [0.5, 0.5]


def test_without_a_capacity_no_share_and_no_contention_is_told():
    found = interference(samples((0, 10, 50.0)), samples((0, 10, 20.0)), Resource("disk", "bytes/s"))

    assert (found.others, found.others_share, found.contended_s) == (300.0, None, None)


def test_a_host_without_samples_tells_nothing():
    found = interference(samples(), samples((0, 10, 1.0)), CPU)

    assert (found.sampled_s, found.others, found.others_share) == (0.0, 0.0, None)
    assert found.intervals.rows == 0


ROWS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 8), st.floats(0, 4)).map(
        lambda row: (row[0], row[0] + row[1], row[2])
    ),
    max_size=10,
)


@given(ROWS, ROWS)
def test_others_are_never_below_zero_and_nothing_lasts_longer_than_the_samples(host, ours):
    found = interference(samples(*host), samples(*ours), CPU)

    assert all(one >= 0 for one in listed(found.intervals, "others"))
    assert 0 <= found.others <= found.host + 1e-9
    assert found.contended_s is not None
    assert 0 <= found.contended_s <= found.sampled_s + 1e-9
    assert found.host == pytest.approx(sum((end - start) * rate for start, end, rate in host), abs=1e-9)
