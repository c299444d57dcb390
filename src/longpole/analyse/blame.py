"""Blame: whose each nanosecond of the makespan is.

Method: the stretches of the critical path, summed by what they belong to. A stretch that is a whole serial
phase is told apart into the own time of that phase and of all its parts. Where a phase has parts that were
only counted (rows that stand for many), its own time is theirs in the same proportion as over the whole
phase. Shares sum to the makespan; what nothing is known of is ``idle``, and counts as unnamed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.path import Because, Stretch
from longpole.analyse.tree import Tree
from longpole.model.explanation import Blame

NOTHING = "nothing that is known of"


@dataclass(frozen=True, slots=True)
class Counted:
    """Parts of a phase that were only counted.

    Attributes:
        what: Their name.
        kind: Their kind.
        took_ns: How long they took in all.
    """

    what: str
    kind: str
    took_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What to call each phase of a tree: ``words[codes[place]]``."""

    codes: Whole
    words: tuple[str, ...]

    def of(self, place: int) -> str:
        """Return what to call one phase."""
        return self.words[int(self.codes[place])] or "?"


def blame(
    tree: Tree, path: Sequence[Stretch], labels: Labels, counted: Mapping[int, Sequence[Counted]]
) -> tuple[Blame, ...]:
    """Return what the makespan is made of, the largest first.

    Args:
        tree: The phases of the run.
        path: Its critical path.
        labels: What to call phases.
        counted: Parts that were only counted, by the place of the phase that they are part of.
    """
    own = on_path_ns(tree, path)
    sums: dict[tuple[str, str], float] = defaultdict(float)
    for place, parts in counted.items():
        for part, share_ns in _shares(tree, place, int(own[place]), parts):
            sums[part.what, part.kind] += share_ns
            own[place] -= share_ns
    for label, kind, took_ns in _summed(tree, own, labels):
        sums[label, kind] += took_ns
    for stretch in path:
        if stretch.because is not Because.WORK:
            what = NOTHING if stretch.because is Because.IDLE else labels.of(stretch.phase)
            sums[what, stretch.because.value] += stretch.end_ns - stretch.start_ns
    found = [Blame(what, kind, took_ns / 1e9) for (what, kind), took_ns in sums.items() if took_ns > 0]
    return tuple(sorted(found, key=lambda one: (-one.seconds, one.kind, one.what)))


def on_path_ns(tree: Tree, path: Sequence[Stretch]) -> Whole:
    """Return how much of each phase's own time is on the path."""
    own = np.zeros(len(tree), np.int64)
    whole = np.zeros(len(tree), np.bool_)
    for stretch in path:
        if stretch.whole:
            whole[stretch.phase] = True
        elif stretch.because is Because.WORK:
            own[stretch.phase] += stretch.end_ns - stretch.start_ns
    whole = tree.with_all_within(whole)
    own[whole] = tree.self_ns[whole]
    return own


def _shares(tree: Tree, place: int, took_ns: int, parts: Sequence[Counted]) -> Iterator[tuple[Counted, int]]:
    """Yield how much of a phase's own time on the path is that of parts that were only counted."""
    own_ns = max(1, int(tree.self_ns[place]), sum(part.took_ns for part in parts))
    for part in parts:
        yield part, took_ns * part.took_ns // own_ns


def _summed(tree: Tree, own: Whole, labels: Labels) -> Iterator[tuple[str, str, int]]:
    """Yield label, kind and time of phases that share both."""
    keys, groups = np.unique(labels.codes * len(tree.kinds) + tree.kind, return_inverse=True)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, groups, own)
    for key, took_ns in zip(keys.tolist(), sums.tolist(), strict=True):
        label, kind = divmod(key, len(tree.kinds))
        yield labels.words[label] or "?", tree.kinds[kind], took_ns
