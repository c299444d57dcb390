"""Replay: the recorded phases scheduled again, with some of them changed.

Method: a phase takes its own time and that of its parts. Parts that lie one after the other add up; parts
that overlap are scheduled again on as many slots as were used at once (``slots``), with gaps drawn from all
gaps of their kind. What a process has marked itself comes before the processes it started, which count only
for the time between the marks. A part that outlives its phase counts up to the phase's end.

Parts that run side by side share the cores: each takes as long as it would alone (``contention``), and longer
while all want more cores than there are. That is worked out where phases first run side by side, for all that
is within them together. Whether a process spreads its time on a core over its life, or is on one first and
waits then, is not known: of the two, that which replays the recorded run better is taken, or none of them if
both err by more than 3 %.

With no change, the replay of a run errs by what this leaves out: that error is always given along with a
prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from longpole.analyse.change import NO_CHANGE, Change, Factors, Replayed
from longpole.analyse.clusters import Cluster, Terms, clusters_of
from longpole.analyse.contention import alone_shares, side_by_side
from longpole.analyse.demand import Demand
from longpole.analyse.graph import Whole
from longpole.analyse.slots import Cores, drawn_gaps, length_ns
from longpole.analyse.tree import Marks, Tree

_DRAWS = 9
# A replay of the run as it was that errs by more is no good.
_GOOD_ERROR = 0.03
# So many phases are scheduled in all at most, before fewer draws must do: the more phases there are, the less
# draws differ: by 0.04 % of the makespan at 10,000, by 0.03 % at 100,000 (see docs/methods/replay.md).
_MOST_SCHEDULED = 200_000


def replay_of(tree: Tree, after: Mapping[int, Sequence[int]], demand: Demand) -> Replay:
    """Return the replay of a run in that of two ways to share cores which errs less.

    If both err too much, as where others came and went on the host, recorded times stand as they are.
    """
    spread = Replay(tree, after, demand)
    if not spread.slowed_itself:
        return spread
    first = Replay(tree, after, demand, on_core_first=True)
    best = min((spread, first), key=lambda one: one.error)
    return best if best.error <= _GOOD_ERROR else Replay(tree, after, replace(demand, there=0.0))


class Replay:
    """A run that can be replayed."""

    def __init__(
        self,
        tree: Tree,
        after: Mapping[int, Sequence[int]] | None = None,
        demand: Demand | None = None,
        abreast: Marks | None = None,
        *,
        on_core_first: bool = False,
    ) -> None:
        """Take the phases, what each depends on by place, what each wants of the cores, which are abreast."""
        self._on_core_first = on_core_first
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
        recorded = self._recorded_ns
        return abs(self.unchanged.makespan_ns - recorded) / recorded if recorded else 0.0

    @property
    def _recorded_ns(self) -> int:
        return int(self._tree.end_ns[0] - self._tree.start_ns[0]) if len(self._tree) else 0

    @property
    def slowed_itself(self) -> bool:
        """Whether phases of the run took cores from each other."""
        return bool((self._less_for_cores < 1.0).any())

    @cached_property
    def unchanged(self) -> Replayed:
        """The replay without a change."""
        return self.replay(NO_CHANGE)

    def replay(self, change: Change) -> Replayed:
        """Return how long the run takes with a change; draws of gaps are the same for each change."""
        if not len(self._tree):
            return Replayed(())
        scheduled = sum(len(cluster.places) for cluster in self._parallel)
        draws = max(1, min(_DRAWS, _MOST_SCHEDULED // max(scheduled, 1)))
        model = self if change.abreast is None else self._with_abreast(change.abreast)
        change = model._balanced(change) if change.balance else change
        return Replayed(tuple(model._once(change, np.random.default_rng(seed)) for seed in range(draws)))

    def savings_ns(self, change: Change) -> list[int]:
        """Return how much sooner the run ends with a change, for each draw of gaps.

        What the replay takes too long or too short for the run as it was, it does for the change as well.
        """
        was, now = self.unchanged.draws_ns, self.replay(change).draws_ns
        scale = self._recorded_ns / max(self.unchanged.makespan_ns, 1)
        return [round((one - other) * scale) for one, other in zip(was, now, strict=True)] or [0]

    def saving_s(self, change: Change) -> float:
        """Return how much sooner the run ends with a change: the median over the draws."""
        return float(np.median(self.savings_ns(change))) / 1e9

    def _with_abreast(self, places: Whole) -> Replay:
        abreast = np.zeros(len(self._tree), np.bool_)
        abreast[places] = True
        return Replay(self._tree, self._after, self._demand, abreast, on_core_first=self._on_core_first)

    @cached_property
    def _clusters(self) -> dict[int, Clusters]:
        parts = _Parts(self._tree)
        terms = Terms(self._after, self._abreast)
        found = {}
        for place in self._by_depth:
            clusters, own_ns = clusters_of(self._tree, place, parts.of(place), terms)
            found[place] = Clusters(clusters, own_ns)
        return found

    @cached_property
    def _parallel(self) -> list[Cluster]:
        return [cluster for found in self._clusters.values() for cluster in found.parallel]

    @cached_property
    def _side_by_side(self) -> Marks:
        """Which phases run beside others, or are within one that does."""
        return side_by_side(self._tree, self._parallel)

    @cached_property
    def _less_for_cores(self) -> Factors:
        """Which share of its recorded time each phase takes if the others of the run leave it the cores."""
        if self._demand is None or not self._demand.there:
            return np.ones(len(self._tree))
        return alone_shares(self._tree, self._parallel, self._side_by_side, self._demand)

    @cached_property
    def _alone(self) -> Factors | None:
        """Which share of its recorded time each phase takes by itself; None if that is not known."""
        if self._demand is None:
            return None
        needed = self._demand.needed
        return self._less_for_cores if needed is None else self._less_for_cores * needed

    @cached_property
    def _as_it_was(self) -> tuple[Factors, Factors | None]:
        """How long each phase takes with its parts, and is on a core, with no change."""
        return self._lengths(NO_CHANGE, np.random.default_rng(0))

    def _balanced(self, change: Change) -> Change:
        """Return a change with the lengths that its balance comes to."""
        lengths = dict(change.lengths_ns)
        for places, share in change.balance:
            took = self._as_it_was[0][places]
            took = took + share * (took.mean() - took)
            alone = self._alone[places] if self._alone is not None else 1.0
            recorded = np.rint(took / np.maximum(alone, 1e-9)).astype(np.int64)
            lengths.update(zip(places.tolist(), recorded.tolist(), strict=True))
        return replace(change, lengths_ns=lengths, balance=())

    def _once(self, change: Change, rng: np.random.Generator) -> int:
        return round(float(self._lengths(change, rng)[0][0]))

    def _lengths(self, change: Change, rng: np.random.Generator) -> tuple[Factors, Factors | None]:
        factors = change.factors if change.factors is not None else np.ones(len(self._tree))
        if self._alone is not None:
            factors = factors * self._alone
        lengths = self._serial_lengths(factors, change)
        draw = _Draw(change, rng, factors, lengths, self._on_core(factors, lengths, change))
        for place in self._by_depth:
            if place not in change.lengths_ns:
                lengths[place] = self._length(place, draw)
        return lengths, draw.on_core

    def _serial_lengths(self, factors: Factors, change: Change) -> Factors:
        """Return how long serial phases take with their parts."""
        lengths: Factors = np.where(self._serial, self._tree.self_ns, 0) * factors
        for place, took_ns in change.lengths_ns.items():
            lengths[place] = took_ns * (self._alone[place] if self._alone is not None else 1.0)
        self._sum_up(lengths, change)
        return lengths

    def _on_core(self, factors: Factors, lengths: Factors, change: Change) -> Factors | None:
        """Return how long serial phases with their parts are on a core, in all; None if that is not known."""
        if self._alone is None or self._demand is None:
            return None
        own = np.where(self._serial, self._tree.self_ns, 0) * factors * self._demand.cores
        if change.lengths_ns:
            fixed = np.array(list(change.lengths_ns))
            was, on_core = self._as_it_was
            share = on_core[fixed] / np.maximum(was[fixed], 1.0) if on_core is not None else 0.0
            own[fixed] = lengths[fixed] * share
        self._sum_up(own, change)
        return own

    def _sum_up(self, values: Factors, change: Change) -> None:
        """Add to serial phases what their parts have, but for those whose length is given."""
        tree = self._tree
        fixed = np.zeros(len(tree), np.bool_)
        fixed[list(change.lengths_ns)] = True
        for depth in range(int(tree.depth.max(initial=0)), 0, -1):
            here = np.flatnonzero((tree.depth == depth) & self._serial & ~fixed[tree.parent])
            above = tree.parent[here]
            np.add.at(values, above, np.where(self._serial[above], values[here], 0.0))

    def _length(self, place: int, draw: _Draw) -> float:
        """Return how long a phase takes whose parts overlap, or reach beyond it."""
        found = self._clusters[place]
        total = found.own_ns * float(draw.factors[place])
        if draw.on_core is not None and self._demand is not None:
            draw.on_core[place] = total * self._demand.cores[place]
        for cluster in found.clusters:
            took = draw.lengths[cluster.places] * cluster.shares
            wants = draw.wants(place, cluster, took)
            if len(took) == 1:
                total += float(took[0])
                continue
            slots = draw.change.slots.get(place, 0) or cluster.items.slots
            gaps = drawn_gaps(cluster.items, draw.rng) * draw.change.gaps.get(place, 1.0)
            whole = np.rint(took).astype(np.int64), np.rint(gaps).astype(np.int64)
            total += length_ns(cluster.items, *whole, slots, self._shared(place, wants, draw.change))
        return total

    def _shared(self, place: int, wants: Factors | None, change: Change) -> Cores | None:
        """Return the cores that parts of a phase share; None if they are not known, or shared further up."""
        there = change.cores or (self._demand.there if self._demand is not None else 0.0)
        if wants is None or not there or self._side_by_side[place]:
            return None
        return Cores(wants, there, first=self._on_core_first)


@dataclass(frozen=True, slots=True, eq=False)
class _Draw:
    """One replay of one change, by place of phases; what is not serial is filled in from below."""

    change: Change
    rng: np.random.Generator
    factors: Factors
    lengths: Factors
    on_core: Factors | None

    def wants(self, place: int, cluster: Cluster, took_ns: Factors) -> Factors | None:
        """Return how many cores parts of a phase want, whose time on a core is added to that of the phase."""
        if self.on_core is None:
            return None
        busy = self.on_core[cluster.places] * cluster.shares
        self.on_core[place] += float(busy.sum())
        return busy / np.maximum(took_ns, 1.0)


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
