"""Clusters: the parts of one phase, grouped into those that overlap in time.

Method: what the phase itself marked is taken as it is; processes it started are cut to the time between these
marks, and all to the time of the phase. Of what is left, parts that overlap, directly or through others, make
a cluster. Between clusters the phase's own time passes. Parts that may run side by side though they did not
(``abreast``) make one cluster: what passed between them, and was nobody's, is then the gap before the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.analyse.slots import Items
from longpole.analyse.tree import Marks, Tree


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
class Terms:
    """On what terms parts run beside each other.

    Attributes:
        after: What each depends on, by place.
        abreast: Which phases may run side by side though they did not; None for none.
    """

    after: Mapping[int, Sequence[int]] = field(default_factory=dict)
    abreast: Marks | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """Parts and the time of each that counts."""

    places: Whole
    starts: Whole
    ends: Whole

    def sorted(self) -> _Cut:
        order = np.lexsort((self.ends, self.starts))
        return _Cut(self.places[order], self.starts[order], self.ends[order])

    def rows(self, first: int, last: int) -> _Cut:
        return _Cut(self.places[first:last], self.starts[first:last], self.ends[first:last])

    def moved(self, by: int) -> _Cut:
        return _Cut(self.places, self.starts + by, self.ends + by)


def clusters_of(
    tree: Tree,
    place: int,
    parts: Whole,
    terms: Terms,
) -> tuple[tuple[Cluster, ...], int]:
    """Return the clusters of a phase's parts, and the time of its own between them."""
    cut = _counted(tree, place, parts)
    if not len(cut.places):
        return (), int(tree.end_ns[place] - tree.start_ns[place])
    reach = np.maximum.accumulate(cut.ends)
    firsts = np.concatenate([[0], np.flatnonzero(cut.starts[1:] >= reach[:-1]) + 1])
    lasts = np.concatenate([firsts[1:], [len(cut.places)]])
    groups = [cut.rows(*pair) for pair in zip(firsts.tolist(), lasts.tolist(), strict=True)]
    covered = int((reach[lasts - 1] - cut.starts[firsts]).sum())
    if terms.abreast is not None:
        groups, between = _joined(groups, terms.abreast)
        covered += between
    found = tuple(_cluster(tree, group, terms) for group in groups)
    return found, int(tree.end_ns[place] - tree.start_ns[place]) - covered


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
    both = zip((own.places, own.starts, own.ends), (others.places, others.starts, others.ends), strict=True)
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


def _joined(groups: list[_Cut], abreast: Marks) -> tuple[list[_Cut], int]:
    """Return groups with those of phases that may run side by side as one, and the time between these.

    A group of others that lies between two of them is as it was, and no part of the time between.
    """
    kept: list[_Cut] = []
    joined: list[_Cut] = []
    between = free_at = last_end = 0
    for group in groups:
        begin, end = int(group.starts[0]), int(group.ends.max())
        if not abreast[group.places].all():
            kept.append(group)
        else:
            gap = begin - last_end if joined else 0
            at = free_at + gap if joined else begin
            joined.append(group.moved(at - begin))
            between, free_at = between + gap, at + end - begin
        last_end = end
    return [*kept, _as_one(joined)] if joined else kept, between


def _as_one(cuts: list[_Cut]) -> _Cut:
    every = [[cut.places for cut in cuts], [cut.starts for cut in cuts], [cut.ends for cut in cuts]]
    return _Cut(*(np.concatenate(some) for some in every))


def _cluster(tree: Tree, cut: _Cut, terms: Terms) -> Cluster:
    took = tree.end_ns[cut.places] - tree.start_ns[cut.places]
    shares = (cut.ends - cut.starts) / took
    begin = int(cut.starts[0])
    items = Items(
        cut.starts - begin,
        cut.ends - begin,
        tree.kind[cut.places],
        _dependencies(cut.places, terms.after),
    )
    return Cluster(cut.places, shares, items)


def _dependencies(places: Whole, after: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Return what each part depends on among the parts, by place among them; none if nothing does."""
    if not after or len(places) == 1:
        return []
    at = {place: number for number, place in enumerate(places.tolist())}
    return [[at[one] for one in after.get(place, ()) if one in at] for place in places.tolist()]
