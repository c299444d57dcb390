from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.phases import Sum, cut_phases, phase_sums
from tests.analyse.evidence import SECOND, table


def test_shares_are_of_the_summed_time_and_the_largest_comes_first():
    rows = table("phases", ("phase", "clean", 2, SECOND, 0), ("phase", "fit", 1, 3 * SECOND, 1))

    fit, clean = phase_sums(rows)

    assert (fit.name, fit.count, fit.total_s, fit.share) == ("fit", 1, 3.0, 0.75)
    assert (clean.name, clean.count, clean.total_s, clean.share) == ("clean", 2, 1.0, 0.25)
    assert cut_phases(rows) == 1


def test_phases_that_hold_all_others_are_left_out():
    rows = table("phases", ("run", "demo", 1, 9 * SECOND, 1), ("process", "python", 3, SECOND, 1))

    assert phase_sums(rows) == ()
    assert cut_phases(rows) == 0


def test_phases_without_any_time_have_no_share():
    assert phase_sums(table("phases", ("phase", "nothing", 1, 0, 0)))[0].share == 0.0


def test_what_is_in_steps_takes_no_share_and_comes_last():
    rows = table(
        "phases",
        ("step", "step", 5, 9 * SECOND, 0),
        ("epoch", "epoch", 1, 3 * SECOND, 0),
        ("data", "read", 1, SECOND, 0),
    )

    epoch, read, step = phase_sums(rows)

    assert (epoch.share, read.share, step.share) == (0.75, 0.25, 0.0)
    assert (step.count, step.total_s, step.in_steps) == (5, 9.0, True)
    assert not epoch.in_steps


def test_phases_that_are_only_partly_in_steps_are_split():
    rows = table("phases", ("data", "data", 5, 10 * SECOND, 0))

    outside, inside = phase_sums(rows, {("data", "data"): Sum(3, 6 * SECOND)})

    assert (outside.count, outside.total_s, outside.share) == (2, 4.0, 1.0)
    assert (inside.count, inside.total_s, inside.share) == (3, 6.0, 0.0)


@given(st.lists(st.integers(0, 10**15), min_size=1, max_size=20).filter(any))
def test_shares_sum_to_one(times):
    rows = table("phases", *(("phase", f"p{at}", 1, time, 0) for at, time in enumerate(times)))

    assert sum(phase.share for phase in phase_sums(rows)) == pytest.approx(1.0)
