"""Siblings: parts of one phase, of one kind and name, that ran side by side.

Method: parts of one phase are of one sort if they are of one kind and are called the same, but for a number
at the end (``worker 3``). Those of one sort that overlap in time, directly or through others, are a fan; a
phase may have many fans one after the other. A process that took less than a twentieth of the longest of its
fan is no sibling: a shell that only starts others is called as one that works, and does other work. Only
sorts that took the most time are looked at. That members of a fan depend on each other is not known here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longpole.analyse.blame import Labels
from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case
from longpole.analyse.slots import Items
from longpole.analyse.tree import Marks

# Of a trace with millions of phases, so many groups of siblings and so many fans of each are looked at.
_MOST_GROUPS = 5_000
_MOST_FANS = 5_000
# What is far from the others: by so many median absolute deviations, and by this factor.
FAR_DEVIATIONS = 5.0
FAR_FACTOR = 1.5
FEW = 0.1
# A process that took less of the longest beside it had something else to do.
_COMPARABLE = 0.05
_NUMBER_AT_END = re.compile(r"[\s_.:#([-]*\d+[)\]]?$")


@dataclass(frozen=True, eq=False)
class Fan:
    """Siblings of one sort that overlap.

    Attributes:
        parent: Place of the phase that they are part of.
        places: Where they are in the tree, in the order of their starts.
        items: The same as items that run side by side.
    """

    parent: int
    places: Whole
    items: Items

    @cached_property
    def took_ns(self) -> Whole:
        """How long each took."""
        took: Whole = self.items.ends_ns - self.items.starts_ns
        return took

    @cached_property
    def span_ns(self) -> int:
        """From the start of the first to the end of the last."""
        return int(self.items.ends_ns.max())

    @cached_property
    def slots(self) -> int:
        """How many ran at once, at most."""
        return self.items.slots

    @cached_property
    def mean_at_once(self) -> float:
        """How many ran at once, on average."""
        return float(self.took_ns.sum()) / self.span_ns

    @cached_property
    def late(self) -> Marks:
        """Which members are stragglers: few, far slower than the others, and the last to end.

        Far is more than the median by 5 median absolute deviations, and more than 1.5 times the median. Few
        is one, or less than a tenth.
        """
        median = float(np.median(self.took_ns))
        spread = float(np.median(np.abs(self.took_ns - median)))
        far = self.took_ns > max(median + FAR_DEVIATIONS * spread, FAR_FACTOR * median)
        count = int(far.sum())
        if not count or count == len(far) or (count > 1 and count >= FEW * len(far)):
            return np.zeros(len(far), np.bool_)
        last: Marks = far & (self.items.ends_ns > self.items.ends_ns[~far].max())
        return last


@dataclass(frozen=True, slots=True)
class Sort:
    """All fans of one kind and name."""

    kind: str
    label: str
    fans: tuple[Fan, ...]

    def only(self, fans: Iterable[Fan]) -> Sort:
        """Return the same sort with other fans."""
        return Sort(self.kind, self.label, tuple(fans))

    @property
    def places(self) -> Whole:
        """Where all members are."""
        return np.concatenate([fan.places for fan in self.fans]) if self.fans else np.zeros(0, np.int64)

    @property
    def span_ns(self) -> int:
        """How long all fans took, one by one."""
        return sum(fan.span_ns for fan in self.fans)


def sorts(case: Case, least: int) -> list[Sort]:
    """Return the fans of at least so many members, by sort; the sort that took longest first."""
    found: dict[tuple[int, int], list[Fan]] = defaultdict(list)
    stems, words = _stems(case.labels)
    for group in _groups(case, stems, least):
        key = int(case.tree.kind[group[0]]), int(stems[group[0]])
        found[key] += _fans(case, group, least)
    every = [Sort(case.tree.kinds[kind], words[stem], tuple(fans)) for (kind, stem), fans in found.items()]
    return sorted((sort for sort in every if sort.fans), key=lambda sort: -sort.span_ns)


def within_ns(case: Case) -> Whole:
    """Return how much of the critical path is in each phase, its parts included."""
    return case.tree.summed_up(case.on_path_ns)


def _stems(labels: Labels) -> tuple[Whole, tuple[str, ...]]:
    """Return for each phase what it is called without a number at the end, as places of words."""
    places: dict[str, int] = {}
    codes = [places.setdefault(_stem(word), len(places)) for word in labels.words]
    return np.array(codes, np.int64)[labels.codes], tuple(places)


def _stem(label: str) -> str:
    """Return a label without a number at its end.

    Examples:
        >>> _stem("worker-3"), _stem("align"), _stem("part (12)"), _stem("7")
        ('worker', 'align', 'part', '7')
    """
    return _NUMBER_AT_END.sub("", label) or label


def _groups(case: Case, stems: Whole, least: int) -> Iterator[Whole]:
    """Yield siblings of one sort in the order of their starts, those that took longest first."""
    tree = case.tree
    some = np.flatnonzero(tree.parent >= 0)
    some = some[~tree.serial[tree.parent[some]]]
    if not len(some):
        return
    order = some[np.lexsort((tree.start_ns[some], stems[some], tree.kind[some], tree.parent[some]))]
    keys = np.stack([tree.parent[order], tree.kind[order], stems[order]])
    firsts = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
    lasts = np.r_[firsts[1:], len(order)]
    took = np.add.reduceat(case.took_ns[order], firsts)
    large = np.flatnonzero(lasts - firsts >= least)
    for at in large[np.argsort(-took[large], kind="stable")][:_MOST_GROUPS].tolist():
        yield order[firsts[at] : lasts[at]]


def _fans(case: Case, group: Whole, least: int) -> list[Fan]:
    starts, ends = case.tree.start_ns[group], case.tree.end_ns[group]
    reach = np.maximum.accumulate(ends)
    firsts = np.r_[0, np.flatnonzero(starts[1:] >= reach[:-1]) + 1]
    lasts = np.r_[firsts[1:], len(group)]
    large = np.flatnonzero(lasts - firsts >= max(least, 2))
    spans = (reach[lasts - 1] - starts[firsts])[large]
    chosen = large[np.argsort(-spans, kind="stable")][:_MOST_FANS]
    members = [_comparable(case, group[firsts[at] : lasts[at]]) for at in chosen.tolist()]
    return [_fan(case, places) for places in members if len(places) >= max(least, 2)]


def _comparable(case: Case, places: Whole) -> Whole:
    """Return members of a fan without processes that are far too short to have done the same."""
    if case.tree.kinds[int(case.tree.kind[places[0]])] != "process":
        return places
    took = case.took_ns[places]
    comparable: Whole = places[took >= _COMPARABLE * took.max()]
    return comparable


def _fan(case: Case, places: Whole) -> Fan:
    tree = case.tree
    begin = int(tree.start_ns[places[0]])
    items = Items(tree.start_ns[places] - begin, tree.end_ns[places] - begin, tree.kind[places])
    return Fan(int(tree.parent[places[0]]), places, items)
