from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from longpole.exchange.perfetto import Place, Span, lanes_of, places_of

NEVER = float("inf")
TIMES = st.tuples(st.integers(0, 12), st.none() | st.integers(0, 8))


def end_of(span: Span) -> float:
    return NEVER if span.end_ns is None else span.end_ns


@st.composite
def trees(draw: st.DrawFn) -> list[Span]:
    """Intervals of equal times, no length or no end, whose parents are any others, even each other."""
    times = draw(st.lists(TIMES, max_size=25))
    ids = st.none() | st.integers(1, len(times) + 2)
    return [
        Span(number, draw(ids), start, None if length is None else start + length)
        for number, (start, length) in enumerate(times, start=1)
    ]


def at(places: list[Place], identity: int) -> tuple[int, int]:
    [found] = [(one.lane, one.depth) for one in places if one.id == identity]
    return found


def test_jobs_at_the_same_time_lie_in_different_lanes():
    assert list(lanes_of([(0, 10), (1, 3), (2, 8), (3, 9), (10, 12), (11, None)])) == [0, 1, 2, 1, 0, 1]


def test_a_job_within_the_time_of_another_is_not_part_of_it():
    places = places_of([Span(1, None, 0, 100), Span(2, None, 10, 20)])

    assert places == [Place(1, 0, 0), Place(2, 1, 0)]


def test_waits_and_execution_lie_in_their_job_and_steps_in_the_execution():
    spans = [Span(1, None, 0, 20), Span(2, 1, 0, 5), Span(3, 1, 5, 5), Span(4, 1, 5, 20), Span(5, 4, 5, 20)]

    assert [(one.id, one.lane, one.depth) for one in places_of(spans)] == [
        (1, 0, 0),
        (2, 0, 1),
        (3, 0, 1),
        (4, 0, 1),
        (5, 0, 2),
    ]


def test_commands_of_one_job_at_the_same_time_lie_below_all_jobs():
    spans = [Span(1, None, 0, 9), Span(2, 1, 0, 9), Span(3, 2, 0, 5), Span(4, 2, 1, 9), Span(5, None, 1, 9)]

    places = places_of(spans)

    assert [at(places, identity) for identity in (1, 2, 3)] == [(0, 0), (0, 1), (0, 2)]
    assert (at(places, 5), at(places, 4)) == ((1, 0), (2, 0))


def test_a_step_that_outlives_its_job_stands_alone():
    places = places_of([Span(1, None, 0, 10), Span(2, 1, 5, 11), Span(3, 2, 6, 7)])

    assert [at(places, identity) for identity in (1, 2, 3)] == [(0, 0), (1, 0), (1, 1)]


@given(st.lists(TIMES, max_size=60))
def test_no_lane_has_an_overlap_and_there_are_no_more_than_needed(times):
    spans = [
        Span(0, None, start, None if length is None else start + length) for start, length in sorted_(times)
    ]

    lanes = list(lanes_of((one.start_ns, one.end_ns) for one in spans))

    for number, one in enumerate(spans):
        before = [spans[other] for other in range(number) if lanes[other] == lanes[number]]
        assert all(end_of(other) <= one.start_ns for other in before)
    most = max(
        (sum(end_of(two) > one.start_ns for two in spans[:n]) + 1 for n, one in enumerate(spans)), default=0
    )
    assert len(set(lanes)) == most


def sorted_(times):
    return sorted(times, key=lambda one: (one[0], NEVER if one[1] is None else one[1]))


@given(trees())
def test_every_interval_has_one_place_whatever_its_parent(spans):
    assert Counter(place.id for place in places_of(spans)) == Counter(span.id for span in spans)


@given(trees())
def test_only_what_is_part_of_another_overlaps_it_in_its_lane(spans):
    known = {span.id: span for span in spans}
    by_lane = defaultdict(list)
    for place in places_of(spans):
        by_lane[place.lane].append(place)

    for places in by_lane.values():
        open_ones: list[Span] = []
        for place in places:
            span = known[place.id]
            closed = open_ones[place.depth :]
            del open_ones[place.depth :]
            assert len(open_ones) == place.depth
            assert all(end_of(one) <= span.start_ns for one in closed)
            if open_ones:
                assert span.parent == open_ones[-1].id
                assert open_ones[-1].start_ns <= span.start_ns
                assert end_of(span) <= end_of(open_ones[-1])
            open_ones.append(span)


@given(trees(), st.randoms())
def test_the_order_in_which_intervals_come_changes_nothing(spans, chance):
    shuffled = list(spans)
    chance.shuffle(shuffled)

    assert places_of(shuffled) == places_of(spans)
