"""Phases in groups of one name and kind: those that matter each by itself, all others as one.

Those with the most time on the critical path come first, then those with the most time. The run itself and
the workflow around everything are no phases that use anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Whole, sums
from longpole.analyse.blame import Labels
from longpole.analyse.graph import Whole as Places
from longpole.analyse.tree import Tree

MOST_GROUPS = 10
_AROUND = ("run", "workflow")


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of phases; the last one is of all that matter less.

    Attributes:
        names: Name and kind of each group but the last.
        of_place: The group of each phase.
        places: The phases that have a process and so may have been sampled.
    """

    names: tuple[tuple[str, str], ...]
    of_place: Whole
    places: Places

    @property
    def words(self) -> tuple[str, ...]:
        """A word for each group, the last one included."""
        return tuple(str(at) for at in range(len(self.names) + 1))


def grouped(tree: Tree, labels: Labels, on_path_ns: Places, most: int = MOST_GROUPS) -> Groups:
    """Return the groups of phases that have a process."""
    inside = tree.process > 0
    inside[tree.places_of_kind(*_AROUND)] = False
    places = np.flatnonzero(inside)
    keys, group = np.unique(labels.codes[places] * len(tree.kinds) + tree.kind[places], return_inverse=True)
    on_path = sums(group, on_path_ns[places].astype(np.float64), len(keys))
    took = sums(group, (tree.end_ns - tree.start_ns)[places].astype(np.float64), len(keys))
    first = np.lexsort((-took, -on_path))[:most]
    rank = np.full(len(keys), len(first), np.int64)
    rank[first] = np.arange(len(first))
    of_place = np.full(len(tree), len(first), np.int64)
    of_place[places] = rank[group]
    named = (divmod(int(keys[at]), len(tree.kinds)) for at in first)
    return Groups(
        tuple((labels.words[one] or "?", tree.kinds[kind]) for one, kind in named), of_place, places
    )
