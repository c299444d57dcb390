"""Replay: the recorded phases scheduled again, with some of them changed.

Method: a phase takes its own time and that of its parts. Parts that lie one after the other add up; parts
that overlap are scheduled again on as many slots as were used at once (``slots``), with gaps drawn from all
gaps of their kind. What a process has marked itself comes before the processes it started, which count only
for the time between the marks. A part that outlives its phase counts up to the phase's end. With no change,
the replay of a run errs by what this leaves out: that error is always given along with a prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.clusters import Cluster, Terms, clusters_of
from longpole.analyse.demand import Demand
from longpole.analyse.graph import Whole
from longpole.analyse.slots import drawn_gaps, length_ns
from longpole.analyse.tree import Marks, Tree

Factors = NDArray[np.float64]
_DRAWS = 9
# So many phases are scheduled in all at most, before fewer draws must do: the more phases there are, the less
# draws differ: by 0.04 % of the makespan at 10,000, by 0.03 % at 100,000 (see docs/methods/replay.md).
_MOST_SCHEDULED = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A change of a run.

    Attributes:
        factors: By what the own time of each phase is multiplied; None for no change.
        lengths_ns: How long some phases take with all their parts, by place.
        slots: How many parts of some phases run at once, by place of the phase.
        cores: How many cores parts share where their slots are changed; 0 if that is not known.
        abreast: Places of phases that may run side by side with their neighbours though they did not; each
            still waits for all that it depends on.
        gaps: By what the gaps before parts that run side by side are multiplied, by place of their phase.
    """

    factors: Factors | None = None
    lengths_ns: Mapping[int, int] = field(default_factory=dict)
    slots: Mapping[int, int] = field(default_factory=dict)
    cores: float = 0.0
    abreast: Whole | None = None
    gaps: Mapping[int, float] = field(default_factory=dict)


NO_CHANGE = Change()


@dataclass(frozen=True, slots=True)
class Replayed:
    """How long a run takes in the replay: each draw of gaps gives one makespan."""

    draws_ns: tuple[int, ...]

    @property
    def makespan_ns(self) -> int:
        """The median over the draws."""
        return int(np.median(self.draws_ns)) if self.draws_ns else 0


class Replay:
    """A run that can be replayed."""

    def __init__(
        self,
        tree: Tree,
        after: Mapping[int, Sequence[int]] | None = None,
        demand: Demand | None = None,
        abreast: Marks | None = None,
    ) -> None:
        """Take the phases, what each depends on by place, what each wants of the cores, which are abreast."""
        self._tree = tree
        self._after = after or {}
        self._demand = demand
        self._abreast = abreast
        self._serial = tree.serial if abreast is None else _opened(tree, abreast)
        self._broken = np.flatnonzero(~self._serial)
        self._by_depth = self._broken[np.argsort(-tree.depth[self._broken], kind="stable")].tolist()

    @cached_property
    def error(self) -> float:
        """By what share of the makespan the replay without a change errs."""
        recorded = int(self._tree.end_ns[0] - self._tree.start_ns[0]) if len(self._tree) else 0
        return abs(self.unchanged.makespan_ns - recorded) / recorded if recorded else 0.0

    @cached_property
    def unchanged(self) -> Replayed:
        """The replay without a change."""
        return self.replay(NO_CHANGE)

    def replay(self, change: Change) -> Replayed:
        """Return how long the run takes with a change; draws of gaps are the same for each change."""
        if not len(self._tree):
            return Replayed(())
        scheduled = sum(
            len(cluster.places) for found in self._clusters.values() for cluster in found.parallel
        )
        draws = max(1, min(_DRAWS, _MOST_SCHEDULED // max(scheduled, 1)))
        model = self if change.abreast is None else self._with_abreast(change.abreast)
        return Replayed(tuple(model._once(change, np.random.default_rng(seed)) for seed in range(draws)))

    def _with_abreast(self, places: Whole) -> Replay:
        abreast = np.zeros(len(self._tree), np.bool_)
        abreast[places] = True
        return Replay(self._tree, self._after, self._demand, abreast)

    @cached_property
    def _clusters(self) -> dict[int, Clusters]:
        parts = _Parts(self._tree)
        wants = self._demand.cores if self._demand is not None else None
        terms = Terms(self._after, wants, self._abreast)
        found = {}
        for place in self._by_depth:
            clusters, own_ns = clusters_of(self._tree, place, parts.of(place), terms)
            found[place] = Clusters(clusters, own_ns)
        return found

    def _once(self, change: Change, rng: np.random.Generator) -> int:
        lengths = self._serial_lengths(change)
        for place in self._by_depth:
            if place not in change.lengths_ns:
                lengths[place] = self._length(place, lengths, change, rng)
        return round(float(lengths[0]))

    def _serial_lengths(self, change: Change) -> Factors:
        """Return how long serial phases take with their parts."""
        tree = self._tree
        factors = change.factors if change.factors is not None else 1.0
        lengths: Factors = np.where(self._serial, tree.self_ns, 0) * factors
        for place, took_ns in change.lengths_ns.items():
            lengths[place] = took_ns
        fixed = np.zeros(len(tree), np.bool_)
        fixed[list(change.lengths_ns)] = True
        for depth in range(int(tree.depth.max(initial=0)), 0, -1):
            here = np.flatnonzero((tree.depth == depth) & self._serial & ~fixed[tree.parent])
            above = tree.parent[here]
            np.add.at(lengths, above, np.where(self._serial[above], lengths[here], 0.0))
        return lengths

    def _length(self, place: int, lengths: Factors, change: Change, rng: np.random.Generator) -> float:
        """Return how long a phase takes whose parts overlap, or reach beyond it."""
        found = self._clusters[place]
        factor = float(change.factors[place]) if change.factors is not None else 1.0
        total = found.own_ns * factor
        for cluster in found.clusters:
            took = lengths[cluster.places] * cluster.shares
            if len(took) == 1:
                total += float(took[0])
                continue
            slots = change.slots.get(place, 0) or cluster.items.most_at_once
            cores = change.cores if place in change.slots and self._demand is not None else 0.0
            if cores and self._demand is not None:
                took = took * self._demand.alone[cluster.places]
            gaps = np.rint(drawn_gaps(cluster.items, rng) * change.gaps.get(place, 1.0)).astype(np.int64)
            total += length_ns(cluster.items, np.rint(took).astype(np.int64), gaps, slots, cores)
        return total


@dataclass(frozen=True, slots=True)
class Clusters:
    """What a phase is made of: groups of parts that overlap, and time of its own."""

    clusters: tuple[Cluster, ...]
    own_ns: int

    @property
    def parallel(self) -> list[Cluster]:
        """Those with more than one part."""
        return [cluster for cluster in self.clusters if len(cluster.places) > 1]


def _opened(tree: Tree, abreast: Marks) -> Marks:
    """Return which phases are serial and hold none that may run side by side with its neighbours."""
    serial = tree.serial.copy()
    above = np.unique(tree.parent[np.flatnonzero(abreast)])
    while len(above := above[above >= 0]):
        serial[above] = False
        above = np.unique(tree.parent[above])
    return serial


class _Parts:
    """Places of the parts of each phase, in the order of their starts."""

    def __init__(self, tree: Tree) -> None:
        self._order: Whole = np.lexsort((tree.start_ns, tree.parent))
        counts = np.bincount(tree.parent[self._order] + 1, minlength=len(tree) + 1)
        self._first: Whole = np.concatenate([[0], np.cumsum(counts)])

    def of(self, place: int) -> Whole:
        """Return those of one phase."""
        return self._order[self._first[place + 1] : self._first[place + 2]]
