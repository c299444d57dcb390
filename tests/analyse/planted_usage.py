"""Workloads by chance: strategies for properties, use that is planted and must be found, and large ones."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from longpole.model.attribution import Demand, Workload
from tests.analyse.workloads import many_phases, many_samples

RULES = {
    "one": Demand.exact(1.0),
    "half": Demand.exact(0.5),
    "light": Demand.variable(1.0),
    "heavy": Demand.variable(3.0),
    "idle": Demand(),
}


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
