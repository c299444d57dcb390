"""The critical path as people read it: neighbours that belong to the same thing are one part.

A stretch that is a whole serial phase is told with what it is made of: the own time of all phases within it,
summed by kind and name, the largest first. Smaller ones are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from longpole.analyse.blame import NOTHING, Labels
from longpole.analyse.graph import Whole
from longpole.analyse.path import Because, Stretch
from longpole.analyse.tree import NONE, Tree
from longpole.model.explanation import PathPart

# So many of what a stretch is made of are told.
_MOST_WITHIN = 5


def path_parts(tree: Tree, path: Sequence[Stretch], labels: Labels) -> tuple[PathPart, ...]:
    """Return the parts of a path in their order."""
    begin = int(tree.start_ns[0]) if len(tree) else 0
    found: list[PathPart] = []
    part_of: dict[int, int] = {}
    for stretch in path:
        what, kind = _named(tree, stretch, labels)
        start_s, seconds = (stretch.start_ns - begin) / 1e9, (stretch.end_ns - stretch.start_ns) / 1e9
        if found and (found[-1].what, found[-1].kind) == (what, kind):
            last = found.pop()
            found.append(PathPart(what, kind, last.start_s, last.seconds + seconds, last.count + 1))
        else:
            found.append(PathPart(what, kind, start_s, seconds))
        if stretch.whole:
            part_of[stretch.phase] = len(found) - 1
    within = _within(tree, part_of, labels)
    return tuple(replace(part, parts=tuple(within[at])) for at, part in enumerate(found))


def _named(tree: Tree, stretch: Stretch, labels: Labels) -> tuple[str, str]:
    if stretch.because is Because.IDLE:
        return NOTHING, Because.IDLE.value
    if stretch.because is Because.WORK:
        return labels.of(stretch.phase), tree.kinds[int(tree.kind[stretch.phase])]
    return labels.of(stretch.phase), stretch.because.value


def _within(tree: Tree, part_of: Mapping[int, int], labels: Labels) -> dict[int, list[PathPart]]:
    """Return what parts of the path are made of besides the own time of their phases, the largest first."""
    owner = _owners(tree, part_of)
    owner[list(part_of)] = NONE
    found: dict[int, list[PathPart]] = defaultdict(list)
    for at, part in sorted(_sums(tree, owner, labels), key=lambda row: -row[1].seconds):
        if len(found[at]) < _MOST_WITHIN and part.seconds > 0:
            found[at].append(part)
    return found


def _owners(tree: Tree, part_of: Mapping[int, int]) -> Whole:
    """Return for each phase the part of the path that it lies within, or ``NONE``."""
    owner = np.full(len(tree), NONE, np.int64)
    owner[list(part_of)] = list(part_of.values())
    for depth in range(1, int(tree.depth.max(initial=0)) + 1):
        here = np.flatnonzero((tree.depth == depth) & (owner < 0))
        owner[here] = owner[tree.parent[here]]
    return owner


def _sums(tree: Tree, owner: Whole, labels: Labels) -> Iterator[tuple[int, PathPart]]:
    """Yield the own time of phases that share owner, name and kind, with their number and first begin."""
    rows = np.flatnonzero(owner >= 0)
    if not len(rows):
        return
    names = _codes(labels)
    rows = rows[np.lexsort((tree.start_ns[rows], tree.kind[rows], names[rows], owner[rows]))]
    keys = np.stack([owner[rows], names[rows], tree.kind[rows]])
    firsts = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
    took, counts = np.add.reduceat(tree.self_ns[rows], firsts), np.diff(np.r_[firsts, len(rows)])
    for first, took_ns, count in zip(firsts.tolist(), took.tolist(), counts.tolist(), strict=True):
        place = int(rows[first])
        start_s = int(tree.start_ns[place] - tree.start_ns[0]) / 1e9
        kind = tree.kinds[int(tree.kind[place])]
        yield int(owner[place]), PathPart(labels.of(place), kind, start_s, took_ns / 1e9, count)


def _codes(labels: Labels) -> Whole:
    """Return a number for what each phase is called; several places of words may hold the same one."""
    first: dict[str, int] = {}
    return np.array([first.setdefault(word, at) for at, word in enumerate(labels.words)])[labels.codes]
