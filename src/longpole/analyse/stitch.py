"""Phases put where they belong: into what was marked around them while they ran.

Method: a process that another started is part of the innermost mark of that one that holds it from its begin
to its end, both of which are known to some ticks of the kernel's clock only. Where marks of several threads
hold it, that which began last does. A mark that lies within another of the same process and thread is part of
that one, whoever made either: what a hook tells of a step and what another tells of a checkpoint lie beside
each other at first. What no mark holds stays as it is. A process that a program said it started in some phase
is there already.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.tree import Marks, Tree

# How many marks that began before it are tried: threads side by side have one each.
_TRIED = 8
# By how much the begin of a process may be noted too early, and its end too late.
_EARLY_NS, _LATE_NS = 10_000_000, 20_000_000
# Phases that are no marks: nobody said what they are part of by being in one.
_NO_MARKS = ("process", "run")


def stitched(tree: Tree) -> Tree:
    """Return the tree with each process, and each mark, in the mark that holds it."""
    return _with_processes(_with_marks(tree))


def _with_marks(tree: Tree) -> Tree:
    inner = _beside_a_holder(tree)
    if not len(inner):
        return tree
    parent = tree.parent.copy()
    moved = np.zeros(len(tree), np.bool_)
    moved[inner] = True
    for thread in _threads(tree, inner):
        for place, around in _nested(tree, thread):
            if moved[place]:
                parent[place] = around
    return replace(tree, parent=parent)


def _threads(tree: Tree, inner: Whole) -> Iterator[Whole]:
    """Yield the marks of each thread of these, in the order of their begins, the longest first."""
    marks = np.flatnonzero(_is_mark(tree) & np.isin(tree.process, tree.process[inner]))
    keys = (tree.start_ns[marks], tree.lane[marks], tree.process[marks])
    order = marks[np.lexsort((-tree.end_ns[marks], *keys))]
    threads = np.stack([tree.process[order], tree.lane[order]])
    firsts = np.flatnonzero((np.diff(threads, prepend=-1) != 0).any(axis=0))
    yield from np.split(order, firsts[1:])


def _nested(tree: Tree, thread: Whole) -> Iterator[tuple[int, int]]:
    """Yield each mark of a thread that lies within others, and the innermost of these."""
    around: list[tuple[int, int]] = []
    for place, end in zip(thread.tolist(), tree.end_ns[thread].tolist(), strict=True):
        while around and around[-1][1] < end:
            around.pop()
        if around:
            yield place, around[-1][0]
        around.append((place, end))


def _with_processes(tree: Tree) -> Tree:
    processes = tree.places_of_kind("process")
    inner = processes[np.isin(tree.parent[processes], processes)]
    if not len(inner):
        return tree
    marks = _Marks(tree)
    parent, start_ns, end_ns = tree.parent.copy(), tree.start_ns.copy(), tree.end_ns.copy()
    for place in inner.tolist():
        around = parent[place] = marks.innermost(int(parent[place]), place)
        if around != tree.parent[place]:
            start_ns[place] = max(start_ns[place], start_ns[around])
            end_ns[place] = min(end_ns[place], end_ns[around])
    return replace(tree, parent=parent, start_ns=start_ns, end_ns=end_ns)


def _beside_a_holder(tree: Tree) -> Whole:
    """Return marks that lie within a mark of the same process and thread with the same parent."""
    marks = np.flatnonzero(_is_mark(tree) & (tree.process > 0))
    threads = (tree.lane[marks], tree.process[marks], tree.parent[marks])
    order = marks[np.lexsort((-tree.end_ns[marks], tree.start_ns[marks], *threads))]
    same = np.zeros(len(order), np.bool_)
    same[1:] = True
    for of in (tree.parent, tree.process, tree.lane):
        same[1:] &= of[order[1:]] == of[order[:-1]]
    # The furthest end so far in each group, which starts anew in the next: that lies above all of the former.
    rank = np.unique(tree.end_ns[order], return_inverse=True)[1] + np.cumsum(~same) * (len(order) + 1)
    reach = np.maximum.accumulate(rank)
    same[1:] &= reach[:-1] >= rank[1:]
    return order[same]


def _is_mark(tree: Tree) -> Marks:
    marks = tree.parent >= 0
    marks[tree.places_of_kind(*_NO_MARKS)] = False
    return marks


class _Marks:
    """What each phase is made of, processes left out, in the order of begins."""

    def __init__(self, tree: Tree) -> None:
        some = np.flatnonzero(_is_mark(tree))
        self._order: Whole = some[np.lexsort((tree.start_ns[some], tree.parent[some]))]
        self._starts = tree.start_ns[self._order]
        counts = np.bincount(tree.parent[self._order], minlength=len(tree))
        self._first: Whole = np.concatenate([[0], np.cumsum(counts)])
        self._tree = tree

    def innermost(self, at: int, process: int) -> int:
        """Return the innermost mark within a phase that holds a process; the phase itself if none does."""
        while True:
            held_by = self._holding(at, process)
            if held_by < 0:
                return at
            at = held_by

    def _holding(self, at: int, process: int) -> int:
        low, high = int(self._first[at]), int(self._first[at + 1])
        begin, end = int(self._tree.start_ns[process]), int(self._tree.end_ns[process])
        begin, end = begin + min(_EARLY_NS, (end - begin) // 2), end - min(_LATE_NS, (end - begin) // 2)
        last = bisect_right(self._starts, begin, low, high)
        for place in self._order[max(low, last - _TRIED) : last][::-1].tolist():
            if self._tree.end_ns[place] >= end:
                return int(place)
        return -1
