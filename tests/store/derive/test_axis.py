"""The axis that hosts share: clocks that are off, drift, and were compared now and then."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.store.derive.axis import Alignment, Axis, Comparison, Own

UTC = 1_800_000_000 * 10**9
SECOND = 10**9
# Of the host that is right: what its monotonic clock shows at the begin, which is UTC less this.
BOOT = 10**12
OWN = {1: Own(0, UTC - 5 * SECOND), 2: Own(BOOT, UTC - 5 * SECOND - BOOT + 3_700_000_000)}


def their_moment(true_ns: int, drift: float, boot_ns: int) -> int:
    """Return what the second host's monotonic clock shows at a moment of the first one's."""
    return boot_ns + true_ns + round(true_ns * drift)


def compared(at: list[int], drift: float, errors: list[int], boot_ns: int = BOOT) -> list[Comparison]:
    """Return comparisons at these moments of the first host, each wrong by at most its error."""
    return [
        Comparison(their_moment(true, drift, boot_ns), 1, true + wrong, abs(wrong) + 1)
        for true, wrong in zip(at, errors, strict=True)
    ]


def test_a_host_that_was_never_compared_has_its_own_offset() -> None:
    alignment = Alignment({1: Own(0, 7)}, {})

    assert 3 + alignment.axis(1) == 10
    assert alignment.errors == {1: None}


def test_arrays_and_numbers_are_put_on_the_axis_alike() -> None:
    axis = Axis([0, 10 * SECOND, 20 * SECOND], [UTC, UTC + 200_000, UTC + 350_000])
    moments = np.array(range(-5, 30), np.int64) * SECOND

    assert (moments + axis).tolist() == [int(moment) + axis for moment in moments.tolist()]


@given(
    drift=st.floats(-50e-6, 50e-6),
    errors=st.lists(st.integers(-2_000_000, 2_000_000), min_size=6, max_size=6),
    at=st.integers(0, 100 * SECOND),
)
def test_times_agree_within_the_stated_error(drift, errors, at) -> None:
    """Clocks 3.7 s apart that drift by up to 50 ppm, compared every 20 s."""
    true = [second * SECOND for second in range(0, 101, 20)]
    alignment = Alignment(OWN, {2: compared(true, drift, errors)})

    ours = at + alignment.axis(1)
    theirs = their_moment(at, drift, BOOT) + alignment.axis(2)

    assert abs(ours - theirs) <= (alignment.errors[2] or 0) + 2


@given(
    drift=st.floats(-50e-6, 50e-6),
    moments=st.lists(st.integers(0, 200 * SECOND), min_size=2, max_size=20),
    errors=st.lists(st.integers(-100_000, 100_000), min_size=6, max_size=6),
)
def test_no_duration_is_negative(drift, moments, errors) -> None:
    true = [second * SECOND for second in range(0, 101, 20)]
    axis = Alignment(OWN, {2: compared(true, drift, errors)}).axis(2)

    placed = [moment + axis for moment in sorted(BOOT + moment for moment in moments)]

    assert placed == sorted(placed)


def test_what_was_compared_goes_on_drifting_before_and_after() -> None:
    true = [second * SECOND for second in (100, 110, 120)]
    axis = Alignment(OWN, {2: compared(true, 20e-6, [0, 0, 0])}).axis(2)

    for second in (0, 60, 200, 400):
        found = their_moment(second * SECOND, 20e-6, BOOT) + axis
        assert abs(found - (second * SECOND + OWN[1].offset)) < 10_000


def test_hosts_that_were_compared_in_a_row_follow_the_first() -> None:
    alignment = Alignment(
        {1: Own(0, 100), 2: Own(0, 5_000), 3: Own(0, 170)},
        {2: [Comparison(0, 1, 50, 3)], 3: [Comparison(0, 2, 20, 4)]},
    )

    assert (0 + alignment.axis(2), 0 + alignment.axis(3)) == (150, 170)
    assert alignment.errors == {1: 0, 2: 3, 3: 7}


def test_hosts_that_were_compared_with_each_other_follow_one_of_them() -> None:
    alignment = Alignment(
        {1: Own(0, 100), 2: Own(0, 900)}, {1: [Comparison(0, 2, 50, 3)], 2: [Comparison(50, 1, 0, 3)]}
    )

    assert 0 + alignment.axis(1) == 50 + alignment.axis(2)


def test_of_three_hosts_the_one_that_is_alone_with_its_time_is_not_believed() -> None:
    """The first is followed by the others, but its own UTC is an hour off."""
    own = {1: Own(0, 3600 * SECOND), 2: Own(0, 40), 3: Own(0, 60)}
    alignment = Alignment(own, {host: [Comparison(0, 1, 0, 1)] for host in (2, 3)})

    assert [0 + alignment.axis(host) for host in own] == [60, 60, 60]


def test_a_comparison_that_cannot_be_is_left_out() -> None:
    fitting = compared([0, 10 * SECOND, 20 * SECOND], 0.0, [0, 0, 0])
    odd = Comparison(fitting[1].at + 1000, 1, fitting[1].theirs + 5 * SECOND, 10)
    alignment = Alignment(OWN, {2: [*fitting, odd]})

    assert fitting[1].at + alignment.axis(2) == 10 * SECOND + OWN[1].offset
