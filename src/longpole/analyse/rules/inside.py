"""Phases with all that lies within them, and how much of the critical path that is.

Method: of phases that lie within each other the outermost counts, and each phase below belongs to it. The
time on the path of an outermost phase is the own time on the path of itself and of all below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case
from longpole.analyse.tree import NONE, Marks, Tree
from longpole.units import show_seconds

# What is less of the makespan is not worth a suspicion.
LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """Some phases, and what lies within them.

    Attributes:
        outermost: Places of those that lie in no other of them, in the order of their starts.
        owner: For each phase of the tree the outermost that it is, or lies within; else ``NONE``.
        path_ns: For each of ``outermost`` its time on the critical path.
        share: Which share of the makespan that is in all.
    """

    outermost: Whole
    owner: Whole
    path_ns: Whole
    share: float

    @property
    def marks(self) -> Marks:
        """Which phases of the tree lie within."""
        found: Marks = self.owner >= 0
        return found

    @property
    def on_path(self) -> Whole:
        """Places of the outermost of which some is on the path."""
        return self.outermost[self.path_ns > 0]

    @property
    def path_s(self) -> float:
        """How long they are on the path in all."""
        return float(self.path_ns.sum()) / 1e9


def inside(case: Case, places: Whole) -> Inside:
    """Return some phases of a case with all that lies within them."""
    owner = _owners(case.tree, places)
    outermost = np.flatnonzero(owner == np.arange(len(owner)))
    outermost = outermost[np.argsort(case.tree.start_ns[outermost], kind="stable")]
    sums = np.zeros(len(owner), np.int64)
    within = np.flatnonzero(owner >= 0)
    np.add.at(sums, owner[within], case.on_path_ns[within])
    return Inside(outermost, owner, sums[outermost], case.path_share(within))


def slowest(case: Case, found: Inside, most: int = 3) -> str:
    """Return the names that took longest on the path, with their times: ``torch 2.1 s, numpy 90 ms``."""
    labels, took_ns = case.labels.codes[found.on_path], found.path_ns[found.path_ns > 0]
    codes, places, counts = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.bincount(places, took_ns, len(codes))
    rows = sorted(zip(sums.tolist(), counts.tolist(), codes.tolist(), strict=True), key=lambda row: -row[0])
    return ", ".join(_took(case, *row) for row in rows[:most])


def _took(case: Case, took_ns: float, count: int, code: int) -> str:
    often = f"{count:,} × " if count > 1 else ""
    return f"{often}{case.labels.words[code] or '?'} {show_seconds(took_ns / 1e9)}"


def percent(share: float) -> str:
    """Return a share as people read it.

    Examples:
        >>> percent(0.0512), percent(0.5)
        ('5.1 %', '50 %')
    """
    return f"{100 * share:.2g} %" if share < 0.0995 else f"{100 * share:.0f} %"


def _owners(tree: Tree, places: Whole) -> Whole:
    owner = np.full(len(tree), NONE, np.int64)
    owner[places] = places
    for depth in range(1, int(tree.depth.max(initial=0)) + 1):
        here = np.flatnonzero(tree.depth == depth)
        above = owner[tree.parent[here]]
        owner[here] = np.where(above >= 0, above, owner[here])
    return owner
