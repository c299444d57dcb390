"""The longest chain of kinds of task that wait for each other.

Method: kinds in topological order; a chain's length is the sum of one task of each kind, since the tasks of
one kind do not wait for each other. Chains within a kind are not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longpole.errors import CyclicGraphError
from longpole.model.case import TaskKind


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain, first kind first."""

    kinds: tuple[str, ...]
    seconds: float


def in_order(kinds: Sequence[TaskKind]) -> list[TaskKind]:
    """Return kinds so that each comes after those it waits for; names that are not there are ignored.

    Raises:
        CyclicGraphError: Kinds wait for themselves.
    """
    waiting = {
        kind.name: {name for name in kind.after if any(name == k.name for k in kinds)} for kind in kinds
    }
    ordered: list[TaskKind] = []
    while waiting:
        free = [kind for kind in kinds if kind.name in waiting and not waiting[kind.name]]
        if not free:
            names = tuple(waiting)
            raise CyclicGraphError(list(range(len(names))), names)
        ordered += free
        done = {kind.name for kind in free}
        waiting = {name: left - done for name, left in waiting.items() if name not in done}
    return ordered


def longest_chain(kinds: Sequence[TaskKind], seconds: Mapping[str, float]) -> Chain:
    """Return the chain that takes longest, by the seconds of one task of each kind.

    Examples:
        >>> kinds = TaskKind("load", count=5), TaskKind("merge", after=("load",))
        >>> longest_chain(kinds, {"load": 3.0, "merge": 1.0})
        Chain(kinds=('load', 'merge'), seconds=4.0)
    """
    ending: dict[str, Chain] = {}
    for kind in in_order(kinds):
        before = max(
            (ending[name] for name in kind.after if name in ending),
            key=lambda chain: (chain.seconds, len(chain.kinds)),
            default=Chain((), 0.0),
        )
        ending[kind.name] = Chain((*before.kinds, kind.name), before.seconds + seconds.get(kind.name, 0.0))
    return max(ending.values(), key=lambda chain: (chain.seconds, len(chain.kinds)))


def levels_of(kinds: Sequence[TaskKind]) -> int:
    """Return how many kinds the chain with the most of them has."""
    return round(longest_chain(kinds, dict.fromkeys((kind.name for kind in kinds), 1.0)).seconds)
