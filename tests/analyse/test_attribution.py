from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.arrays import numbers, whole
from longpole.analyse.attribution import attribute
from longpole.analyse.weights import learn_weights
from longpole.model.attribution import Demand, Resource, Workload
from tests.analyse.workloads import listed, many_phases, many_samples, ns, samples, work

CPU = Resource("cpu", "cores", 4.0)
RULES = {
    "one": Demand.exact(1.0),
    "half": Demand.exact(0.5),
    "light": Demand.variable(1.0),
    "heavy": Demand.variable(3.0),
    "idle": Demand(),
}


def used(found):
    return listed(found.phases, "used")


def test_exact_demands_come_first_and_variable_ones_share_the_rest():
    # 20 core-seconds. Exact: 1 core for 10 s = 10. The other 10 go to the variable phase: 2.5 cores for 4 s
    # of the 3 that are left to it.
    found = attribute(work(("one", 0, 10), ("light", 2, 6)), samples((0, 10, 2.0)), CPU, RULES)

    assert used(found) == pytest.approx([10.0, 10.0])
    assert listed(found.phases, "available") == pytest.approx([10.0, 12.0])
    assert listed(found.phases, "used_rate", "available_rate") == [(1.0, 1.0), (2.5, 3.0)]
    assert listed(found.pieces, "used") == pytest.approx([1.0, 3.5, 1.0])
    assert (found.observed, found.background, found.unplaced) == (20.0, 0.0, 0.0)


def test_what_finds_no_room_is_background():
    # 30 core-seconds: 10 exact, 12 fill the variable phase up to 4 cores, 8 are left for the other 6 s
    found = attribute(work(("one", 0, 10), ("light", 2, 6)), samples((0, 10, 3.0)), CPU, RULES)

    assert used(found) == pytest.approx([10.0, 12.0])
    assert listed(found.pieces, "background") == pytest.approx([8 / 6, 0.0, 8 / 6])
    assert found.background == pytest.approx(8.0)


def test_a_piece_that_is_full_leaves_its_share_to_the_others():
    # weights 3 and 1 share 3 core-seconds: 2.25 for heavy, but 2 is all there is; so light gets 1, not 0.75
    two = Resource("cpu", "cores", 2.0)
    found = attribute(work(("heavy", 0, 1), ("light", 1, 2)), samples((0, 2, 1.5)), two, RULES)

    assert used(found) == pytest.approx([2.0, 1.0])


def test_exact_demands_shrink_together_when_less_was_used():
    # demanded are 2 for a second and 1 for another; 1.5 were used, half of it
    found = attribute(work(("one", 0, 2), ("one", 0, 1)), samples((0, 2, 0.75)), CPU, RULES)

    assert used(found) == pytest.approx([1.0, 0.5])
    assert listed(found.phases, "available") == [2.0, 1.0]
    assert listed(found.pieces, "used") == [1.0, 0.5]


def test_exact_demands_beyond_the_capacity_share_it():
    # three of one core each on two cores: two thirds for each
    two = Resource("cpu", "cores", 2.0)
    found = attribute(work(*[("one", 0, 1)] * 3), samples((0, 1, 2.0)), two, RULES)

    assert listed(found.phases, "used") == listed(found.phases, "available") == pytest.approx([2 / 3] * 3)


def test_samples_above_the_capacity_are_told_and_in_no_piece():
    found = attribute(work(("light", 0, 10)), samples((0, 10, 4.5)), CPU, RULES)

    assert listed(found.pieces, "used") == [4.0]
    assert found.unplaced == pytest.approx(5.0)


def test_a_window_gives_out_only_its_share_of_a_sample():
    # of 10 s at 2 cores the window holds 4: 8 core-seconds, though the phase lasts longer
    found = attribute(work(("light", 0, 10), window=(6, 12)), samples((0, 10, 2.0)), CPU, RULES)

    assert used(found) == pytest.approx([8.0])
    assert listed(found.phases, "active_s", "observed_s") == [(4.0, 4.0)]


def test_blocked_time_uses_nothing():
    # 8 core-seconds in the 8 s in which the phase is not blocked
    workload = work(("light", 0, 10), blocked=[(1, "gc", 4, 6)])
    found = attribute(workload, samples((0, 10, 0.8)), CPU, RULES)

    assert listed(found.phases, "active_s", "used", "used_rate") == [(8.0, 8.0, 1.0)]
    assert listed(found.pieces, "used") == [1.0, 0.0, 1.0]


def test_an_unknown_capacity_bounds_nothing_and_nothing_is_said_of_what_is_available():
    disk = Resource("disk", "bytes/s")
    found = attribute(work(("one", 0, 2), ("light", 0, 1)), samples((0, 2, 50.0)), disk, RULES)

    assert used(found) == pytest.approx([2.0, 98.0])
    assert listed(found.phases, "available", "available_rate") == [(2.0, 1.0), (None, None)]


def test_time_without_samples_is_unknown():
    found = attribute(work(("light", 0, 2), ("light", 5, 6)), samples((0, 1, 3.0)), CPU, RULES)

    assert listed(found.phases, "observed_s", "used") == [(1.0, 3.0), (0.0, 0.0)]
    assert listed(found.phases, "used_rate", "available_rate") == [(3.0, 4.0), (None, None)]


def test_nothing_at_all_is_attributed_to_nobody():
    assert attribute(work(), samples(), CPU, RULES).phases.rows == 0
    assert attribute(work(), samples((0, 1, 2.0)), CPU, RULES).background == 2.0
    assert listed(attribute(work(("light", 0, 1)), samples(), CPU, RULES).phases, "used") == [0.0]


# ------------------------------------------------------------------------------------------ properties

PHASES = st.lists(
    st.tuples(st.sampled_from([*RULES, "unheard"]), st.integers(0, 30), st.integers(0, 12)).map(
        lambda row: (row[0], row[1], row[1] + row[2])
    ),
    max_size=8,
)
RATES = st.floats(0, 1, allow_subnormal=False).map(lambda share: 0.0 if share < 1e-6 else share)


@st.composite
def sampled(draw, most=1.0):
    """Samples of at most so many capacities, with gaps."""
    edges = sorted(draw(st.sets(st.integers(0, 40), min_size=2, max_size=8)))
    kept = draw(st.lists(st.booleans(), min_size=len(edges), max_size=len(edges)))
    rows = zip(edges, edges[1:], kept, strict=False)
    return [(start, end, draw(RATES) * most) for start, end, keep in rows if keep]


CAPACITIES = st.sampled_from([0.25, 1.0, 2.5, 6.0])
BLOCKED = st.lists(
    st.tuples(st.integers(1, 8), st.just("lock"), st.integers(0, 40), st.integers(1, 6)).map(
        lambda row: (*row[:3], row[2] + row[3])
    ),
    max_size=3,
)


def attributed(rows, blocked, observed, capacity, window=None):
    rows = rows or [("idle", 0, 1)]
    sampled_rows = samples(*((start, end, rate * capacity) for start, end, rate in observed))
    resource = Resource("cpu", "cores", capacity)
    return attribute(work(*rows, blocked=blocked, window=window), sampled_rows, resource, RULES)


def mass_of_pieces(found, name="used"):
    lengths = (whole(found.pieces["end_ns"]) - whole(found.pieces["start_ns"])) / 1e9
    return numbers(found.pieces[name]) * lengths


@given(PHASES, BLOCKED, sampled(most=1.3), CAPACITIES)
def test_mass_is_conserved(rows, blocked, observed, capacity):
    found = attributed(rows, blocked, observed, capacity)
    tell = numbers(found.phases["used"]).sum() + found.background + found.unplaced

    mass = sum((end - start) * rate * capacity for start, end, rate in observed)

    assert found.observed == pytest.approx(mass, rel=1e-12)
    assert tell == pytest.approx(mass, rel=1e-9)
    assert mass_of_pieces(found).sum() + found.unplaced == pytest.approx(mass, rel=1e-9)


@given(PHASES, BLOCKED, sampled(), CAPACITIES)
def test_every_sample_keeps_its_own_mass(rows, blocked, observed, capacity):
    found = attributed(rows, blocked, observed, capacity)
    starts, masses = whole(found.pieces["start_ns"]), mass_of_pieces(found)

    for start, end, rate in observed:
        inside = (starts >= ns(start)) & (starts < ns(end))
        assert masses[inside].sum() == pytest.approx((end - start) * rate * capacity, rel=1e-9)


@given(PHASES, BLOCKED, sampled(most=1.3), CAPACITIES)
def test_no_piece_exceeds_the_capacity_and_no_phase_what_is_available(rows, blocked, observed, capacity):
    found = attributed(rows, blocked, observed, capacity)

    assert (numbers(found.pieces["used"]) <= capacity).all()
    assert (numbers(found.pieces["background"]) >= 0).all()
    difference = numbers(found.phases["available"]) - numbers(found.phases["used"])
    assert (difference >= -1e-9 * capacity).all()


@given(PHASES, BLOCKED, sampled(), CAPACITIES)
def test_who_asks_for_nothing_gets_nothing(rows, blocked, observed, capacity):
    found = attributed(rows, blocked, observed, capacity)

    for (kind, _, _), use in zip(rows, listed(found.phases, "used"), strict=False):
        if kind in ("idle", "unheard"):
            assert use == 0.0


@given(PHASES, BLOCKED, sampled(), CAPACITIES, st.integers(0, 39))
def test_a_sample_split_at_a_piece_changes_nothing(rows, blocked, observed, capacity, choice):
    found = attributed(rows, blocked, observed, capacity)
    inner = sorted(set(listed(found.pieces, "start_ns")) - {ns(row[0]) for row in observed})
    if not inner:
        return
    at = inner[choice % len(inner)]
    split = [part for row in observed for part in parts_of(row, at, found, capacity)]

    again = attributed(rows, blocked, split, capacity)

    assert listed(again.phases, "used") == pytest.approx(listed(found.phases, "used"), rel=1e-9, abs=1e-12)
    assert again.background == pytest.approx(found.background, rel=1e-9, abs=1e-12)


def parts_of(row, at, found, capacity):
    """A sample as it is, or in two, each with the mass that attribution put there."""
    start, end, _ = row
    if not ns(start) < at < ns(end):
        return [row]
    starts, masses = whole(found.pieces["start_ns"]), mass_of_pieces(found)
    cuts = [(start, at / 1e9), (at / 1e9, end)]
    inside = [masses[(starts >= ns(one)) & (starts < ns(two))].sum() for one, two in cuts]
    return [(*one, mass / (one[1] - one[0]) / capacity) for one, mass in zip(cuts, inside, strict=True)]


@given(PHASES, sampled(), CAPACITIES, st.integers(0, 39), st.integers(1, 20))
def test_a_window_is_the_same_as_samples_cut_by_hand(rows, observed, capacity, start, length):
    end = start + length
    cut = [(max(row[0], start), min(row[1], end), row[2]) for row in observed]

    windowed = attributed(rows, [], observed, capacity, window=(start, end))
    by_hand = attributed(rows, [], [row for row in cut if row[0] < row[1]], capacity)

    assert listed(windowed.phases, "used") == pytest.approx(listed(by_hand.phases, "used"), rel=1e-12)
    assert windowed.observed == pytest.approx(by_hand.observed, rel=1e-12)


def by_the_word(pieces, mass, capacity):
    """Upsampling as the specification words it: three passes, piece after piece."""
    given_to = [0.0] * len(pieces)
    for number in range(3):
        demand = [(piece[1], piece[2], 1.0)[number] for piece in pieces]
        room = [
            (min(piece[1], capacity) if number == 0 else capacity) - had
            for piece, had in zip(pieces, given_to, strict=True)
        ]
        asking = [at for at in range(len(pieces)) if demand[at] > 0]
        asking.sort(key=lambda at: -demand[at] / room[at] if room[at] > 0 else -math.inf)
        left = sum(demand[at] * pieces[at][0] for at in asking)
        for at in asking:
            length = pieces[at][0]
            share = mass * demand[at] * length / left if left > 0 else 0.0
            give = min(share, room[at] * length)
            given_to[at] += give / length
            mass, left = mass - give, left - demand[at] * length
    return given_to


@given(
    st.lists(
        st.tuples(
            st.integers(1, 5), st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.sampled_from([0.0, 1.0, 2.0, 7.0])
        ),
        min_size=1,
        max_size=8,
    ),
    RATES,
    CAPACITIES,
)
def test_all_at_once_gives_what_piece_after_piece_gives(pieces, rate, capacity):
    rules = {f"e{amount}": Demand.exact(amount) for amount in (0.5, 1.0, 3.0)}
    rules |= {f"v{weight}": Demand.variable(weight) for weight in (1.0, 2.0, 7.0)}
    edges = np.concatenate(([0], np.cumsum([piece[0] for piece in pieces])))
    rows = []
    for (_, exact, weight), start, end in zip(pieces, edges, edges[1:], strict=False):
        rows += [(f"e{exact}", start, end), (f"v{weight}", start, end)]
    total = float(edges[-1])

    resource = Resource("cpu", "cores", capacity)
    found = attribute(work(*rows), samples((0, total, rate * capacity)), resource, rules)

    expected = by_the_word(pieces, rate * capacity * total, capacity)
    placed = {}
    for start, end, use in zip(
        *(listed(found.pieces, one) for one in ("start_ns", "end_ns", "used")), strict=True
    ):
        for at, edge in enumerate(edges[:-1]):
            if ns(edge) < end and start < ns(edges[at + 1]):
                placed[at] = use
    assert [placed[at] for at in range(len(pieces))] == pytest.approx(expected, rel=1e-9, abs=1e-12)


# ------------------------------------------------------------------------------------------- acceptance

RATES_OF_KINDS = {"load": 0.8, "forward": 2.4, "backward": 3.2, "write": 1.6}
MILLISECOND = 1_000_000


def planted(seed, order="random", hertz=1, seconds=600):
    """Phases of about 100 ms, one after another, each with its own use about its kind's; and samples."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(50, 151, seconds * 11)
    ends = np.cumsum(lengths)
    count = int(np.searchsorted(ends, seconds * 1000))
    ends, starts = ends[:count], ends[:count] - lengths[:count]
    kind = rng.integers(0, 4, count) if order == "random" else np.arange(count) % 4
    rate = np.array(list(RATES_OF_KINDS.values()))[kind] * np.maximum(1 + 0.1 * rng.normal(size=count), 0)
    each_ms = np.zeros(seconds * 1000)
    for start, end, value in zip(starts, ends, rate, strict=True):
        each_ms[start:end] = value
    means = each_ms.reshape(seconds * hertz, -1).mean(axis=1)
    table = many_phases(kind, tuple(RATES_OF_KINDS), starts * MILLISECOND, ends * MILLISECOND)
    truth = np.bincount(kind, rate * (ends - starts) / 1000)
    edges = np.arange(seconds * hertz + 1) * (1000 // hertz) * MILLISECOND
    return Workload(table), many_samples(edges[:-1], edges[1:], means), kind, truth


@pytest.mark.parametrize("seed", range(20))
def test_use_of_100_ms_phases_is_found_from_samples_of_a_second_within_5_percent(seed):
    workload, observed, kind, truth = planted(seed)

    learned = learn_weights(workload, observed)
    found = attribute(workload, observed, Resource("cpu", "cores", 8.0), learned.demands)

    recovered = np.bincount(kind, numbers(found.phases["used"]))
    assert learned.alike == ()
    assert recovered == pytest.approx(truth, rel=0.05)
    assert recovered.sum() + found.background == pytest.approx(found.observed, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_use_in_a_loop_is_found_from_samples_as_short_as_its_phases(seed):
    workload, observed, kind, truth = planted(seed, order="loop", hertz=10)

    learned = learn_weights(workload, observed)
    found = attribute(workload, observed, Resource("cpu", "cores", 8.0), learned.demands)

    assert np.bincount(kind, numbers(found.phases["used"])) == pytest.approx(truth, rel=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_a_loop_that_samples_blur_has_errors_that_say_so(seed):
    learned = learn_weights(*planted(seed, order="loop")[:2])

    for one in learned.kinds:
        assert one.weight is not None
        assert one.error is not None
        assert one.error > 0.02
        assert abs(one.weight - RATES_OF_KINDS[one.kind]) < 4 * one.error


def test_a_hundred_thousand_phases_and_samples_are_attributed():
    workload, observed, capacity = large(100_000)

    found = attribute(workload, observed, Resource("cpu", "cores", capacity), RULES)

    assert found.phases.rows == 100_000
    tell = numbers(found.phases["used"]).sum() + found.background + found.unplaced
    assert tell == pytest.approx(found.observed, rel=1e-9)


def large(count):
    """Phases of eight lanes and as many samples, over an hour."""
    rng = np.random.default_rng(7)
    start = np.sort(rng.integers(0, 3600 * 10**9, count))
    end = start + rng.integers(1, 10 * 3600 * 10**9 // count * 8, count)
    kind = rng.integers(0, len(RULES), count)
    edges = np.linspace(0, 3600 * 10**9, count + 1).astype(np.int64)
    value = rng.uniform(0, 64, count)
    return (
        Workload(many_phases(kind, tuple(RULES), start, end)),
        many_samples(edges[:-1], edges[1:], value),
        64.0,
    )
