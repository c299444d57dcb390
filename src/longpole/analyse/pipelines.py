"""Pipelines: processes that hand data over by pipes while all of them run.

Method: those that pipes join, directly or through others, go at the pace of the one that was on a core
longest. The others waited for it: by themselves they need as long as they were on a core. So if that one is
faster, so are all. Takes for granted that the slowest is so by computing; where all wait for something else,
as a disk, the one that computes most is taken for it all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.tree import Tree


def needed_shares(
    tree: Tree, pipes: Sequence[tuple[int, int]], ran_ns: Mapping[int, float]
) -> NDArray[np.float64]:
    """Return which share of its life each phase needs by itself: 1 for all that only waited for no pipe.

    Args:
        tree: The phases of the run.
        pipes: Ids of the phases of processes that a pipe joins.
        ran_ns: How long processes were on a core, by id of the process.
    """
    needed = np.ones(len(tree))
    place_of = dict(zip(tree.ids.tolist(), range(len(tree)), strict=True)) if pipes else {}
    joined = [(place_of[a], place_of[b]) for a, b in pipes if a in place_of and b in place_of]
    for group in _groups(joined):
        ran = {place: ran_ns.get(int(tree.process[place]), 0.0) for place in group}
        busiest = max(group, key=lambda place: (ran[place], place))
        for place in group - {busiest}:
            lived = int(tree.end_ns[place] - tree.start_ns[place])
            needed[place] = min(1.0, ran[place] / lived)
    return needed


def _groups(pairs: Sequence[tuple[int, int]]) -> Iterator[set[int]]:
    """Yield all that are joined, directly or through others."""
    group_of: dict[int, set[int]] = {}
    for one, other in pairs:
        whole = group_of.get(one, {one}) | group_of.get(other, {other})
        group_of.update(dict.fromkeys(whole, whole))
    yield from {id(group): group for group in group_of.values()}.values()
