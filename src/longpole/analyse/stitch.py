"""Processes put where they belong: into what their parent had marked while they ran.

Method: a process that another started is part of the innermost mark of that one that holds it from its begin
to its end. Where marks of several threads hold it, that which began last does. One that no mark holds stays
as it is. A process that a program said it started in some phase is there already.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.tree import Tree

# How many marks that began before it are tried: threads side by side have one each.
_TRIED = 8


def stitched(tree: Tree) -> Tree:
    """Return the tree with each process in the mark that holds it."""
    processes = tree.places_of_kind("process")
    inner = processes[np.isin(tree.parent[processes], processes)]
    if not len(inner):
        return tree
    marks = _Marks(tree)
    parent = tree.parent.copy()
    for place in inner.tolist():
        parent[place] = marks.innermost(int(parent[place]), place)
    return replace(tree, parent=parent)


class _Marks:
    """What each phase is made of, processes left out, in the order of begins."""

    def __init__(self, tree: Tree) -> None:
        is_process = np.zeros(len(tree), np.bool_)
        is_process[tree.places_of_kind("process", "run")] = True
        some = np.flatnonzero(~is_process & (tree.parent >= 0))
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
        last = bisect_right(self._starts, begin, low, high)
        for place in self._order[max(low, last - _TRIED) : last][::-1].tolist():
            if self._tree.end_ns[place] >= end:
                return int(place)
        return -1
