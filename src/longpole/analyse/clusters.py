"""Clusters: the parts of one phase, grouped into those that overlap in time.

Method: what the phase itself marked is taken as it is; processes it started are cut to the time between these
marks, and all to the time of the phase. Of what is left, parts that overlap, directly or through others, make
a cluster. Between clusters the phase's own time passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.analyse.slots import Items
from longpole.analyse.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """Parts that overlap.

    Attributes:
        places: Where they are in the tree, in the order of their starts.
        shares: How much of each counts: 1, or less where it was cut.
        items: The same as items that run side by side.
    """

    places: Whole
    shares: NDArray[np.float64]
    items: Items


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """Parts and the time of each that counts."""

    places: Whole
    starts: Whole
    ends: Whole

    @property
    def columns(self) -> tuple[Whole, Whole, Whole]:
        return self.places, self.starts, self.ends

    def sorted(self) -> _Cut:
        order = np.lexsort((self.ends, self.starts))
        return _Cut(*(column[order] for column in self.columns))


@dataclass(frozen=True, slots=True)
class Clusters:
    """What a phase is made of: groups of parts that overlap, and time of its own."""

    groups: tuple[Cluster, ...]
    own_ns: int

    @property
    def parallel(self) -> list[Cluster]:
        """Those with more than one part."""
        return [cluster for cluster in self.groups if len(cluster.places) > 1]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of one phase.

    Attributes:
        tree: The phases of the run.
        place: Which phase.
        places: Its parts, in the order of their starts.
        after: What phases depend on, by place.
        cores: How many cores phases want; None if that is not known.
    """

    tree: Tree
    place: int
    places: Whole
    after: Mapping[int, Sequence[int]]
    cores: NDArray[np.float64] | None


def clusters_of(parts: Parts) -> Clusters:
    """Return the clusters of a phase's parts, and the time of its own between them."""
    cut = _counted(parts.tree, parts.place, parts.places)
    return _clusters(parts, cut, _firsts(cut))


def pools_of(parts: Parts) -> Clusters:
    """Return the same with neighbours of the same kinds and names as one: rounds of one pool of workers."""
    cut = _counted(parts.tree, parts.place, parts.places)
    firsts = _firsts(cut)
    words = parts.tree.kind[cut.places] * len(parts.tree.names) + parts.tree.name[cut.places]
    sets = [set(some.tolist()) for some in np.split(words, firsts[1:])]
    kept = [at for at in range(len(firsts)) if not at or sets[at] != sets[at - 1]]
    return _clusters(parts, cut, firsts[kept])


def _firsts(cut: _Cut) -> Whole:
    """Return where each cluster begins."""
    if not len(cut.places):
        return np.zeros(0, np.int64)
    reach = np.maximum.accumulate(cut.ends)
    return np.concatenate([[0], np.flatnonzero(cut.starts[1:] >= reach[:-1]) + 1])


def _clusters(parts: Parts, cut: _Cut, firsts: Whole) -> Clusters:
    took = int(parts.tree.end_ns[parts.place] - parts.tree.start_ns[parts.place])
    if not len(firsts):
        return Clusters((), took)
    lasts = np.concatenate([firsts[1:], [len(cut.places)]])
    pairs = zip(firsts.tolist(), lasts.tolist(), strict=True)
    groups = tuple(_cluster(parts, _Cut(*(one[low:high] for one in cut.columns))) for low, high in pairs)
    reach = np.maximum.accumulate(cut.ends)
    covered = int((reach[lasts - 1] - cut.starts[firsts]).sum())
    return Clusters(groups, took - covered)


def _counted(tree: Tree, place: int, parts: Whole) -> _Cut:
    """Return the parts of a phase with the time of each that counts."""
    started = np.isin(tree.kind[parts], [at for at, kind in enumerate(tree.kinds) if kind == "process"])
    begin, end = int(tree.start_ns[place]), int(tree.end_ns[place])
    own = _within(tree, parts[~started], begin, end)
    if not started.any():
        return own.sorted()
    others = _within(tree, parts[started], begin, end)
    if len(own.places):
        others = _between(others, own.sorted())
    both = zip(own.columns, others.columns, strict=True)
    return _Cut(*(np.concatenate(pair) for pair in both)).sorted()


def _within(tree: Tree, places: Whole, begin: int, end: int) -> _Cut:
    starts, ends = np.maximum(tree.start_ns[places], begin), np.minimum(tree.end_ns[places], end)
    there = ends > starts
    return _Cut(places[there], starts[there], ends[there])


def _between(others: _Cut, own: _Cut) -> _Cut:
    """Return others cut to their last time outside all of ``own``, which is in the order of its starts."""
    reach = np.maximum.accumulate(own.ends)
    firsts = np.concatenate([[0], np.flatnonzero(own.starts[1:] >= reach[:-1]) + 1])
    begins, ends = own.starts[firsts], reach[np.concatenate([firsts[1:], [len(own.starts)]]) - 1]
    at = (
        np.searchsorted(begins, others.ends, side="left") - 1
    )  # the last marked time that begins before its end
    until = np.where(at >= 0, ends[np.maximum(at, 0)], 0)
    starts = np.maximum(others.starts, until)
    there = others.ends > starts
    return _Cut(others.places[there], starts[there], others.ends[there])


def _cluster(parts: Parts, cut: _Cut) -> Cluster:
    tree = parts.tree
    took = tree.end_ns[cut.places] - tree.start_ns[cut.places]
    begin = int(cut.starts[0])
    items = Items(
        cut.starts - begin,
        cut.ends - begin,
        tree.kind[cut.places],
        _dependencies(cut.places, parts.after),
        None if parts.cores is None else parts.cores[cut.places],
    )
    return Cluster(cut.places, (cut.ends - cut.starts) / took, items)


def _dependencies(places: Whole, after: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Return what each part depends on among the parts, by place among them; none if nothing does."""
    if not after or len(places) == 1:
        return []
    at = {place: number for number, place in enumerate(places.tolist())}
    return [[at[one] for one in after.get(place, ()) if one in at] for place in places.tolist()]
