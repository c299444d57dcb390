from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.blocked import blocked_time
from longpole.analyse.pieces import activity
from tests.analyse.workloads import work


def held(workload):
    found = blocked_time(workload, activity(workload))
    names = [found.names[at] for at in found.resource.tolist()]
    pairs = zip(found.row.tolist(), names, strict=True)
    return dict(zip(pairs, zip(found.held_s.tolist(), found.alone_s.tolist(), strict=True), strict=True)), (
        found.blocked_s.tolist()
    )


def test_time_held_by_two_is_nobodys_alone():
    # gc 2-4, lock 3-6: together 2-6; gc is alone for 1 s, lock for 2 s
    each, blocked = held(work(("a", 0, 10), blocked=[(1, "gc", 2, 4), (1, "lock", 3, 6)]))

    assert each == {(0, "gc"): (2.0, 1.0), (0, "lock"): (3.0, 2.0)}
    assert blocked == [4.0]


def test_intervals_of_one_resource_count_once():
    each, blocked = held(work(("a", 0, 10), blocked=[(1, "gc", 2, 4), (1, "gc", 3, 6)]))

    assert each == {(0, "gc"): (4.0, 4.0)}
    assert blocked == [4.0]


def test_nothing_holds_nobody():
    assert held(work(("a", 0, 10))) == ({}, [0.0])


ROWS = st.lists(
    st.tuples(
        st.integers(1, 3), st.sampled_from(["gc", "lock", "queue"]), st.integers(0, 12), st.integers(1, 6)
    ).map(lambda row: (*row[:3], row[2] + row[3])),
    max_size=10,
)


@given(ROWS)
def test_the_sweep_finds_what_looking_at_every_second_finds(rows):
    each, blocked = held(work(("a", 0, 9), ("b", 3, 15), ("c", 5, 5), blocked=rows))

    ends = {1: (0, 9), 2: (3, 15), 3: (5, 5)}
    expected: dict[tuple[int, str], tuple[float, float]] = {}
    any_held = [0.0, 0.0, 0.0]
    for phase, (first, last) in ends.items():
        for second in range(first, last):
            names = {row[1] for row in rows if row[0] == phase and row[2] <= second < row[3]}
            any_held[phase - 1] += bool(names)
            for name in names:
                had = expected.get((phase - 1, name), (0.0, 0.0))
                expected[phase - 1, name] = (had[0] + 1, had[1] + (len(names) == 1))
    assert each == expected
    assert blocked == any_held
