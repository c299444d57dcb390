"""A graph of tasks: levels, longest path and slack.

Method: nodes are taken level by level, as soon as all before them were. Wide levels are taken at once with
numpy; once levels turn out narrow, the rest is walked with plain lists, so that neither a wide graph nor a
chain of a million tasks is slow. The longest path is by duration alone: no waiting, no transfers, as many
slots as it takes. Slack is by how much a task may take longer before the longest path does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from longpole.errors import CyclicGraphError

Whole = NDArray[np.int64]
# After so many levels in a row that hold fewer nodes than this on average, lists are faster.
_PATIENCE = 256
_NARROW = 24


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes 0 to ``nodes - 1``, and an edge from each of ``before`` to the same place in ``after``.

    Attributes:
        nodes: How many there are.
        before: Where edges begin.
        after: Where they end.
    """

    nodes: int
    before: Whole
    after: Whole

    @cached_property
    def successors(self) -> Neighbours:
        """What comes directly after each node."""
        return _neighbours(self.nodes, self.before, self.after)

    @cached_property
    def predecessors(self) -> Neighbours:
        """What comes directly before each node."""
        return _neighbours(self.nodes, self.after, self.before)

    def reversed(self) -> Graph:
        """Return the same graph with every edge turned round."""
        return Graph(self.nodes, self.after, self.before)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Neighbours of node n are ``ids[first[n]:first[n + 1]]``."""

    first: Whole
    ids: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """When each node comes at the earliest.

    Attributes:
        level: How many edges lead to it at most.
        start_ns: How long what comes before it takes at least.
        finish_ns: The same, with its own time.
    """

    level: Whole
    start_ns: Whole
    finish_ns: Whole

    @property
    def length_ns(self) -> int:
        """The longest path."""
        return int(self.finish_ns.max(initial=0))


def graph_of(nodes: int, before: Whole, after: Whole) -> Graph:
    """Return a graph whose edges are given in any order, perhaps several times; each counts once.

    Examples:
        >>> graph_of(2, np.array([0, 0]), np.array([1, 1])).before.tolist()
        [0]
    """
    keys = np.sort(before.astype(np.int64) * max(nodes, 1) + after)
    keys = keys[np.diff(keys, prepend=-1) != 0]  # faster than np.unique
    return Graph(nodes, *np.divmod(keys, max(nodes, 1)))


def order(graph: Graph, durations_ns: Whole) -> Order:
    """Return levels and earliest times.

    Raises:
        CyclicGraphError: Some nodes depend on themselves.

    Examples:
        >>> chain = Graph(3, np.array([0, 1]), np.array([1, 2]))
        >>> order(chain, np.array([5, 0, 2])).finish_ns.tolist()
        [5, 5, 7]
    """
    walk = _Walk(graph, durations_ns)
    walk.by_levels()
    if walk.taken < graph.nodes:
        walk.one_by_one()
    if walk.taken < graph.nodes:
        raise CyclicGraphError(cycle(graph))
    return Order(walk.level, walk.start_ns, walk.start_ns + durations_ns)


def slack_ns(graph: Graph, durations_ns: Whole, forward: Order) -> Whole:
    """Return by how much each node may take longer before the longest path grows."""
    backward = order(graph.reversed(), durations_ns)
    slack: Whole = forward.length_ns - forward.start_ns - backward.finish_ns
    return slack


def longest_path(graph: Graph, forward: Order) -> list[int]:
    """Return the nodes of a longest path in their order; of equal ones the first."""
    if not graph.nodes:
        return []
    first, ids = graph.predecessors.first.tolist(), graph.predecessors.ids.tolist()
    finish, level = forward.finish_ns.tolist(), forward.level.tolist()
    at = int(np.argmax(forward.finish_ns))
    path = [at]
    while first[at] < first[at + 1]:
        at = max(ids[first[at] : first[at + 1]], key=lambda node: (finish[node], level[node], -node))
        path.append(at)
    return path[::-1]


def cycle(graph: Graph) -> list[int]:
    """Return the nodes of one cycle, in their order; none if there is none."""
    left = _Walk(graph, np.zeros(graph.nodes, np.int64))
    left.by_levels()
    left.one_by_one()
    waiting = np.flatnonzero(left.waiting_for > 0)
    if not len(waiting):
        return []
    stuck = set(waiting.tolist())
    first, ids = graph.predecessors.first.tolist(), graph.predecessors.ids.tolist()
    seen: dict[int, int] = {}
    trail: list[int] = []
    at = int(waiting[0])
    while at not in seen:  # whoever still waits does so for another that still waits
        seen[at] = len(trail)
        trail.append(at)
        at = next(node for node in ids[first[at] : first[at + 1]] if node in stuck)
    return trail[seen[at] :][::-1]


class _Walk:
    """Takes each node when all before it were taken."""

    def __init__(self, graph: Graph, durations_ns: Whole) -> None:
        self._next = graph.successors
        self._durations_ns = durations_ns
        self.waiting_for: Whole = np.bincount(graph.after, minlength=graph.nodes).astype(np.int64)
        self.level: Whole = np.zeros(graph.nodes, np.int64)
        self.start_ns: Whole = np.zeros(graph.nodes, np.int64)
        self.taken = 0
        self._ready: Whole = np.flatnonzero(self.waiting_for == 0)

    def by_levels(self) -> None:
        """Take whole levels, until they are all taken or turn out narrow."""
        levels = 0
        while len(self._ready):
            if levels >= _PATIENCE and self.taken < levels * _NARROW:
                return
            self._take_level()
            levels += 1

    def _take_level(self) -> None:
        ready = self._ready
        self.taken += len(ready)
        edges, counts = _edges_of(self._next, ready)
        targets = self._next.ids[edges]
        finish = np.repeat(self.start_ns[ready] + self._durations_ns[ready], counts)
        np.maximum.at(self.start_ns, targets, finish)
        np.maximum.at(self.level, targets, np.repeat(self.level[ready] + 1, counts))
        np.subtract.at(self.waiting_for, targets, 1)
        self._ready = np.unique(targets[self.waiting_for[targets] == 0])

    def one_by_one(self) -> None:
        """Take the rest, with lists."""
        first, ids = self._next.first.tolist(), self._next.ids.tolist()
        waiting_for, level = self.waiting_for.tolist(), self.level.tolist()
        start_ns, durations_ns = self.start_ns.tolist(), self._durations_ns.tolist()
        ready = self._ready.tolist()
        while ready:
            at = ready.pop()
            self.taken += 1
            finish, above = start_ns[at] + durations_ns[at], level[at] + 1
            for target in ids[first[at] : first[at + 1]]:
                start_ns[target] = max(start_ns[target], finish)
                level[target] = max(level[target], above)
                waiting_for[target] -= 1
                if not waiting_for[target]:
                    ready.append(target)
        self.waiting_for, self.level = np.array(waiting_for, np.int64), np.array(level, np.int64)
        self.start_ns, self._ready = np.array(start_ns, np.int64), np.zeros(0, np.int64)


def _neighbours(nodes: int, of: Whole, ids: Whole) -> Neighbours:
    first = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(of, minlength=nodes), out=first[1:])
    return Neighbours(first, ids[np.argsort(of, kind="stable")])


def _edges_of(neighbours: Neighbours, nodes: Whole) -> tuple[Whole, Whole]:
    """Return the places of all edges of some nodes, and how many each has."""
    begins = neighbours.first[nodes]
    counts = neighbours.first[nodes + 1] - begins
    offsets = np.repeat(begins - np.cumsum(counts) + counts, counts)
    return offsets + np.arange(len(offsets)), counts
