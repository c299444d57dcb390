from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.memory import peak_memory
from tests.analyse.evidence import table


def readings(*rows):
    return table("memory", *rows)


def test_peak_is_the_largest_sum_at_one_moment_worked_by_hand():
    # 1: 10 from 0, 50 from 20, gone at 40.  2: 30 from 10, 5 from 30.  Sums: 10, 40, 80, 55, 5.
    rows = readings((1, 0, 10, None), (1, 20, 50, None), (2, 10, 30, None), (2, 30, 5, None))

    assert peak_memory(rows, {1: 40, 2: 50}).bytes == 80


def test_processes_that_follow_each_other_are_not_added():
    rows = readings((1, 0, 100, None), (2, 10, 100, None))

    assert peak_memory(rows, {1: 10, 2: 20}).bytes == 100
    assert peak_memory(rows, {1: 11, 2: 20}).bytes == 200


def test_a_process_without_an_end_stays():
    rows = readings((1, 0, 100, None), (2, 1000, 100, None))

    assert peak_memory(rows, {}).bytes == 200


def test_proportional_memory_is_preferred_and_its_shared_part_carried_back():
    # before the first PSS at 20, the 60 shared bytes are taken off the resident 90
    rows = readings((1, 10, 90, None), (1, 20, 100, 40), (1, 30, 110, 45))

    found = peak_memory(rows, {1: 40})

    assert (found.bytes, found.processes, found.proportional) == (45, 1, 1)


def test_processes_are_counted_by_what_was_read_of_them():
    rows = readings((1, 0, 100, 10), (2, 0, 100, None), (3, 0, 100, 0))

    found = peak_memory(rows, {})

    assert (found.bytes, found.processes, found.proportional) == (210, 3, 1)


def test_the_peak_is_never_below_one_that_the_kernel_kept():
    assert peak_memory(readings((1, 0, 10, None)), {1: 1}, (7, 25)).bytes == 25
    assert peak_memory(readings(), {}, (7, 25)).bytes == 25
    assert peak_memory(readings(), {}).bytes is None


def test_a_reading_at_or_after_the_end_of_its_process_still_counts():
    assert peak_memory(readings((1, 10, 70, None)), {1: 10}).bytes == 70
    assert peak_memory(readings((1, 10, 70, None)), {1: 3}).bytes == 70


ROWS = st.lists(
    st.tuples(
        st.integers(1, 4), st.integers(0, 30), st.integers(0, 1000), st.none() | st.integers(1, 1000)
    ).map(lambda row: (*row[:3], None if row[3] is None else min(row[2], row[3]))),
    max_size=40,
    unique_by=lambda row: row[:2],
)
ENDS = st.dictionaries(st.integers(1, 4), st.integers(0, 40))


def used(rows):
    """What each reading counts with: PSS, or RSS less what was shared at the first PSS of its process."""
    counts = []
    for number, at, resident, share in rows:
        later = sorted(row for row in rows if row[0] == number and row[3])
        shared = later[0][2] - later[0][3] if later else 0
        counts.append((number, at, share or max(resident - shared, 0)))
    return counts


def slow_peak(rows, ends):
    """The peak by looking at every moment: each process counts with its last reading, until it ends."""
    highest = max((count for *_, count in used(rows)), default=0)
    for moment in range(42):
        total = 0
        for number in {row[0] for row in rows}:
            before = [(at, count) for one, at, count in used(rows) if one == number and at <= moment]
            if before and moment < ends.get(number, 100):
                total += max(before)[1]
        highest = max(highest, total)
    return highest


@given(ROWS, ENDS)
def test_the_sweep_finds_what_looking_at_every_moment_finds(rows, ends):
    ends = {one: max(end, *(row[1] for row in rows if row[0] == one), 0) for one, end in ends.items()}

    assert (peak_memory(readings(*rows), ends).bytes or 0) == slow_peak(rows, ends)


@given(ROWS, ENDS, st.lists(st.integers(0, 2000), max_size=3))
def test_the_peak_is_at_least_any_reading_and_any_kept_peak(rows, ends, kept):
    found = peak_memory(readings(*rows), ends, tuple(kept)).bytes or 0

    assert all(found >= count for *_, count in used(rows))
    assert all(found >= peak for peak in kept)
