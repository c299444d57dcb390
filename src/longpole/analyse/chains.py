"""Chains of kinds of task that wait for each other: the longest, how many levels, how many side by side.

Method: kinds in topological order; a chain's length is the sum of one task of each kind, since the tasks of
one kind do not wait for each other. Chains within a kind are not seen. As many can run at once as are on the
fullest level, at least: kinds of different levels may run side by side, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

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
    known = {kind.name: kind for kind in kinds}
    graph = {kind.name: [name for name in kind.after if name in known] for kind in kinds}
    try:
        return [known[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        cycle = error.args[1][:-1]
        raise CyclicGraphError(list(range(len(cycle))), cycle) from error


def longest_chain(kinds: Sequence[TaskKind], seconds: Mapping[str, float]) -> Chain:
    """Return the chain that takes longest, by the seconds of one task of each kind.

    Examples:
        >>> kinds = TaskKind("load", count=5), TaskKind("merge", after=("load",))
        >>> longest_chain(kinds, {"load": 3.0, "merge": 1.0})
        Chain(kinds=('load', 'merge'), seconds=4.0)
    """
    ending: dict[str, float] = {}
    before: dict[str, str] = {}
    for kind in in_order(kinds):
        waits = [name for name in kind.after if name in ending]
        if waits:
            before[kind.name] = max(waits, key=lambda name: ending[name])
        ending[kind.name] = seconds.get(kind.name, 0.0) + ending.get(before.get(kind.name, ""), 0.0)
    last = max(ending, key=lambda name: (ending[name], name in before))
    chain = [last]
    while chain[-1] in before:
        chain.append(before[chain[-1]])
    return Chain(tuple(reversed(chain)), ending[last])


def levels_of(kinds: Sequence[TaskKind]) -> int:
    """Return how many kinds the chain with the most of them has."""
    return max(_level_of_each(kinds).values())


def side_by_side(kinds: Sequence[TaskKind]) -> int:
    """Return how many tasks can run at once, at least, by what they wait for.

    Examples:
        >>> side_by_side([TaskKind("map", count=10), TaskKind("merge", after=("map",))])
        10
    """
    levels = _level_of_each(kinds)
    many: dict[int, int] = {}
    for kind in kinds:
        many[levels[kind.name]] = many.get(levels[kind.name], 0) + kind.count
    return max(many.values())


def _level_of_each(kinds: Sequence[TaskKind]) -> dict[str, int]:
    levels: dict[str, int] = {}
    for kind in in_order(kinds):
        levels[kind.name] = 1 + max((levels[name] for name in kind.after if name in levels), default=0)
    return levels
