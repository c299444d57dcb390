"""Ends of processes that are known only to have passed by some time: set to the start of what came next.

Method: without exit records, a process is known to have ended only when it is looked for and is not there, up
to a second late; with them, to a few ticks of the kernel's clock. So one that another followed seems to run
beside it. Each start of a sibling takes one end: of those siblings that had ended soon enough after it, the
first; that one ended when the other started, and so did its parts. Where none started, the end stays, but one
that seems to have ended so shortly after what it is part of ended with it. Takes for granted that what starts
just before another is found gone has followed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.tree import Tree


def with_likely_ends(tree: Tree, processes: Whole, late_ns: Whole) -> Tree:
    """Return the tree with likelier ends of processes.

    Args:
        tree: The phases of the run.
        processes: Ids of processes whose end may be noted too late.
        late_ns: By how much, at most.
    """
    places = tree.places_of_kind("process")
    late = _late_ns(tree, places, processes, late_ns)
    if not late.any():
        return tree
    end_ns = tree.end_ns.copy()
    for siblings in _siblings(tree, places):
        for place, moment in _taken_ends(tree, siblings, late.tolist()):
            end_ns[place] = moment
    return replace(tree, end_ns=_with_parts(tree, end_ns, late))


def _with_parts(tree: Tree, end_ns: Whole, late_ns: Whole) -> Whole:
    """Return ends with those of parts no later than of what they are within; each still takes some time."""
    for depth in range(1, int(tree.depth.max(initial=0)) + 1):
        here = np.flatnonzero(tree.depth == depth)
        above = tree.parent[here]
        cut = (end_ns[here] > end_ns[above]) & (tree.end_ns[here] - tree.end_ns[above] <= late_ns[here])
        here, above = here[cut], above[cut]
        end_ns[here] = np.maximum(np.minimum(end_ns[here], end_ns[above]), tree.start_ns[here] + 1)
    return end_ns


def _late_ns(tree: Tree, places: Whole, processes: Whole, late_ns: Whole) -> Whole:
    """Return by how much the end of each phase may be late."""
    late = np.zeros(len(tree), np.int64)
    if len(processes):
        order = np.argsort(processes)
        at = np.searchsorted(processes[order], tree.process[places]).clip(max=len(processes) - 1)
        there = processes[order][at] == tree.process[places]
        late[places] = np.where(there, late_ns[order][at], 0)
    return late


def _siblings(tree: Tree, places: Whole) -> Iterator[list[int]]:
    """Yield processes with one parent, in the order of their starts."""
    order = places[np.lexsort((tree.start_ns[places], tree.parent[places]))]
    firsts = np.flatnonzero(np.diff(tree.parent[order], prepend=-2))
    for some in np.split(order, firsts[1:]):
        if len(some) > 1:
            yield some.tolist()


def _taken_ends(tree: Tree, siblings: list[int], late_ns: list[int]) -> Iterator[tuple[int, int]]:
    """Yield which sibling ended when another started, and when that was."""
    living: list[tuple[int, int]] = []
    for place in siblings:
        start = int(tree.start_ns[place])
        while living and living[0][0] <= start:
            heappop(living)
        if living and _followed(tree, *living[0], start, late_ns):
            yield heappop(living)[1], start
        if late_ns[place]:
            heappush(living, (int(tree.end_ns[place]), place))


def _followed(tree: Tree, end: int, place: int, start: int, late_ns: list[int]) -> bool:
    return end - start <= late_ns[place] and int(tree.start_ns[place]) < start
