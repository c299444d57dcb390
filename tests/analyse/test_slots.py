"""What runs side by side, so many at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longpole.analyse.profile import profile
from longpole.analyse.slots import Cores, Items, drawn_gaps, gaps_ns, length_ns


def items(*times: tuple[int, int], after: list[list[int]] | None = None) -> Items:
    starts, ends = (
        np.array([one[0] for one in times], np.int64),
        np.array([one[1] for one in times], np.int64),
    )
    return Items(starts, ends, np.zeros(len(times), np.int64), after or [])


def again(
    side: Items, slots: int = 0, factor: float = 1.0, wanted: float = 0.0, cores: float | None = None
) -> int:
    took = np.rint((side.ends_ns - side.starts_ns) * factor).astype(np.int64)
    shared = None if cores is None else Cores(np.full(len(side), wanted), cores)
    return length_ns(side, took, gaps_ns(side), slots or side.slots, shared)


def test_two_slots_worked_by_hand():
    # a 0-4, b 0-6, c 5-9 (a slot was free at 4: a gap of 1), d 6-8
    four = items((0, 4), (0, 6), (5, 9), (6, 8))

    assert four.slots == 2
    assert gaps_ns(four).tolist() == [0, 0, 1, 0]
    assert again(four) == 9
    assert again(four, slots=1) == 4 + 6 + 1 + 4 + 2
    assert again(four, slots=4) == 6


def test_what_is_depended_on_comes_first_however_many_slots_there_are():
    chain = items((0, 2), (2, 4), (4, 6), after=[[], [0], [1]])

    assert again(chain, slots=3) == 6


def test_one_that_waits_does_not_keep_others_from_a_slot():
    # 1 depends on 0; 2 on nothing: with two slots 2 runs beside 0
    three = items((0, 5), (5, 7), (5, 9), after=[[], [0], []])

    assert again(three, slots=2) == 7


def test_cores_are_shared_by_those_that_want_more_than_there_are():
    four = items((0, 10), (0, 10), (10, 20), (10, 20))

    assert again(four, slots=4) == 10
    assert again(four, slots=4, wanted=1.0, cores=2.0) == pytest.approx(20, abs=2)
    assert again(four, slots=4, wanted=1.0, cores=4.0) == pytest.approx(10, abs=2)


def test_gap_is_since_a_slot_was_free_and_all_it_depends_on_had_ended():
    # 2 waits for 0 and 1, which end at 3 and 4; 3 waits for 1 alone
    four = items((0, 3), (0, 4), (6, 8), (7, 9), after=[[], [], [0, 1], [1]])

    assert four.gaps_ns.tolist() == gaps_ns(four).tolist() == [0, 0, 2, 3]


def test_schedules_of_the_same_items_do_not_change_each_other():
    side = items((0, 2), (0, 3), (3, 5), (4, 6), after=[[], [], [0, 1], [1]])

    assert [again(side, slots=slots) for slots in (2, 1, 3, 2)] == [6, 10, 6, 6]


def test_very_many_share_cores_by_what_they_want_in_the_mean():
    some = items(*((at // 4 * 10_000, at // 4 * 10_000 + 10_000) for at in range(8_000)))
    few = items(*((at // 4 * 10_000, at // 4 * 10_000 + 10_000) for at in range(400)))

    assert again(some, wanted=1.0, cores=2.0) == pytest.approx(
        20 * again(few, wanted=1.0, cores=2.0), rel=0.01
    )


def test_gaps_are_those_of_others_of_their_class():
    many = items(*((at * 10, at * 10 + 5) for at in range(50)))

    drawn = drawn_gaps(many, np.random.default_rng(1))

    assert sorted(drawn.tolist()) == sorted(gaps_ns(many).tolist())


@st.composite
def schedules(draw: st.DrawFn) -> Items:
    """Return what one queue and some slots would have made, with gaps."""
    free = [0] * draw(st.integers(1, 4))
    times: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(1, 15))):
        slot = free.index(min(free))
        start = max(free[slot], times[-1][0] if times else 0) + draw(st.integers(0, 3))
        free[slot] = start + draw(st.integers(1, 20))
        times.append((start, free[slot]))
    first = times[0][0]
    return items(*((start - first, end - first) for start, end in times))


@given(schedules())
def test_with_its_own_gaps_a_schedule_takes_as_long_as_it_did(side):
    assume(side.slots == profile(side.starts_ns, side.ends_ns).peak)  # nothing only seems to overlap

    assert again(side) == side.ends_ns.max()


@given(schedules(), st.integers(1, 6))
def test_more_slots_never_take_longer(side, slots):
    assert again(side, slots=slots + 1) <= again(side, slots=slots)


@given(schedules(), st.integers(1, 4))
def test_shared_cores_take_at_least_as_long_as_free_ones(side, slots):
    took, gaps = side.ends_ns - side.starts_ns, gaps_ns(side)
    shared = length_ns(side, took, gaps, slots, Cores(np.ones(len(side)), 1.0))

    assert shared >= length_ns(side, took, gaps, slots) - 2 * len(side)


def test_what_is_noted_too_late_takes_no_slot_of_its_own():
    late = items((0, 100), (0, 100), (120, 220), (118, 218), (200, 300), (200, 300))

    assert late.slots == 2
    assert items((0, 100), (0, 98), (0, 1), (0, 1)).slots == 4
    assert items((0, 10)).slots == 1
