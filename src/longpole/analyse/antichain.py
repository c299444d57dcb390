"""The most tasks that could run at once: the largest set of which none depends on another.

Method: by Dilworth's theorem it is the number of tasks less a largest matching over the graph's closure. The
closure is never made: a flow passes through tasks on its way (source to out(i) 1, out(i) to in(j) unbounded
for each edge, in(j) to sink 1, in(j) to out(j) unbounded). Exact up to ``MOST_EXACT`` tasks; beyond that the
widest level is returned, which is a lower bound. It leaves out how many slots there were.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from longpole.analyse.graph import Graph, Order, Whole

MOST_EXACT = 100_000
_UNBOUNDED = 1 << 30


@dataclass(frozen=True, slots=True)
class Antichain:
    """How many tasks could run at once.

    Attributes:
        tasks: So many; at least, if it is not exact.
        exact: Whether it is exact.
    """

    tasks: int
    exact: bool


def max_antichain(graph: Graph, forward: Order) -> Antichain:
    """Return how many tasks could run at once.

    Examples:
        >>> from longpole.analyse.graph import order
        >>> fork = Graph(3, np.array([0, 0]), np.array([1, 2]))
        >>> max_antichain(fork, order(fork, np.ones(3, np.int64))).tasks
        2
    """
    if graph.nodes > MOST_EXACT:
        return Antichain(widest_level(forward), exact=False)
    if not len(graph.before):
        return Antichain(graph.nodes, exact=True)
    return Antichain(graph.nodes - _matching(graph), exact=True)


def widest_level(forward: Order) -> int:
    """Return how many tasks the widest level holds."""
    return int(np.bincount(forward.level).max(initial=0)) if len(forward.level) else 0


def _matching(graph: Graph) -> int:
    """Return the size of a largest matching over the closure; only nodes with edges take part."""
    n = graph.nodes
    leaving, entering = np.unique(graph.before), np.unique(graph.after)
    through = np.intersect1d(leaving, entering)
    source, sink = 2 * n, 2 * n + 1  # out(i) is i, in(j) is n + j
    tails = np.concatenate([np.full(len(leaving), source), graph.before, n + entering, n + through])
    heads = np.concatenate([leaving, n + graph.after, np.full(len(entering), sink), through])
    capacities = np.concatenate([_of(leaving, 1), _of(graph.before, n), _of(entering, 1), _of(through, n)])
    network = csr_array((capacities, (tails, heads)), shape=(2 * n + 2, 2 * n + 2))
    return int(maximum_flow(network, source, sink, method="dinic").flow_value)


def _of(like: Whole, capacity: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.full(len(like), min(capacity, _UNBOUNDED), np.int32)
