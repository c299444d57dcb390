"""Ends of processes that nobody saw: set to the start of what took their place.

Method: without exit records, a process is known to have ended only when it is looked for and is not there, up
to a second late. So one that another followed seems to run beside it. Each start of a sibling takes one end:
of those siblings that were found gone within a second after it, the first; that one ended when the other
started. Where none started, the end stays: late by no more than that. Takes for granted that what starts just
before another is found gone has followed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.tree import Tree

LATEST_NS = 1_000_000_000


def with_likely_ends(tree: Tree, sampled: Whole) -> Tree:
    """Return the tree with likelier ends of processes.

    Args:
        tree: The phases of the run.
        sampled: Ids of processes whose end nobody saw.
    """
    places = tree.places_of_kind("process")
    unseen = np.zeros(len(tree), np.bool_)
    unseen[places[np.isin(tree.process[places], sampled)]] = True
    if not unseen.any():
        return tree
    end_ns = tree.end_ns.copy()
    for siblings in _siblings(tree, places):
        for place, moment in _taken_ends(tree, siblings, unseen):
            end_ns[place] = moment
    return replace(tree, end_ns=end_ns)


def _siblings(tree: Tree, places: Whole) -> Iterator[list[int]]:
    """Yield processes with one parent, in the order of their starts."""
    order = places[np.lexsort((tree.start_ns[places], tree.parent[places]))]
    firsts = np.flatnonzero(np.diff(tree.parent[order], prepend=-2))
    for some in np.split(order, firsts[1:]):
        if len(some) > 1:
            yield some.tolist()


def _taken_ends(
    tree: Tree, siblings: list[int], unseen: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> Iterator[tuple[int, int]]:
    """Yield which sibling ended when another started, and when that was."""
    living: list[tuple[int, int]] = []
    for place in siblings:
        start = int(tree.start_ns[place])
        while living and living[0][0] <= start:
            heappop(living)
        if living and living[0][0] - start <= LATEST_NS and int(tree.start_ns[living[0][1]]) < start:
            yield heappop(living)[1], start
        if unseen[place]:
            heappush(living, (int(tree.end_ns[place]), place))
