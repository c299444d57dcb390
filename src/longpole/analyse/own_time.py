"""The own time of phases: what is left of each without its parts.

A phase and its parts would both be given the same use; without its parts, each phase is a leaf. A part that
is another process takes nothing from it, for both can work at once, unless the phase waits for it.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.arrays import Marks, Whole
from longpole.analyse.intervals import Intervals, left_over, union
from longpole.analyse.tree import Tree


def own_time(tree: Tree, places: Whole, waits: Marks) -> Intervals:
    """Return the own time of some phases; ``row`` is the place of each.

    Args:
        tree: The phases of the run.
        places: Those that are asked about.
        waits: Which phases of the tree do nothing while a process that they started runs.
    """
    whole = Intervals(places, tree.start_ns[places], tree.end_ns[places])
    return left_over(whole, _parts(tree, places, _same_process(tree) | waits[tree.parent]))


def started(tree: Tree, places: Whole) -> Intervals:
    """Return when processes ran that some phases had started; ``row`` is the place of the phase."""
    return union(_parts(tree, places, ~_same_process(tree)))


def _parts(tree: Tree, places: Whole, which: Marks) -> Intervals:
    """Return parts of some phases, each cut to the phase that it is part of, which is its row."""
    asked = np.zeros(len(tree), np.bool_)
    asked[places] = True
    parts = np.flatnonzero(which & (tree.parent >= 0) & asked[tree.parent])
    parent = tree.parent[parts]
    start = np.maximum(tree.start_ns[parts], tree.start_ns[parent])
    end = np.minimum(tree.end_ns[parts], tree.end_ns[parent])
    return Intervals(parent, start, end).chosen(start < end)


def _same_process(tree: Tree) -> Marks:
    same: Marks = tree.process == tree.process[tree.parent]
    return same
