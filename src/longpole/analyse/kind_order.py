"""Which kinds of task come after which, from the dependencies between tasks.

Method: a kind comes after another if every task of it depends on every task of the other, or if they are
equally many and each depends directly on one of its own. Then the means of kinds along a chain, added up, are
no more than the longest path: over kinds that are matched one to one they are the mean of as many paths side
by side, of which the longest takes no less; and where all wait for all, the next begins after the longest.
With less than that they may be more: nine tasks of 100 s and one of 1 s, of which a last task needs only the
short one, end after 100 s and not after their mean and it.

Whether all depend on all is seen from direct dependencies, and through a kind between: all of which come
after each of the first while each of the last needs one of them, or the other way round. What is not seen so
is left out, as are tasks that wait for others of their own kind. No kinds can wait for each other in a
circle, since their tasks do not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from longpole.analyse.arrays import Whole, distinct
from longpole.analyse.graph import Graph

Pair = tuple[int, int]
# With more pairs of kinds than this, those that are only seen through others are left out.
_MOST_PAIRS = 100_000


def kinds_after(kind: Whole, kinds: int, graph: Graph) -> list[tuple[int, ...]]:
    """Return for each kind those that it comes after.

    Args:
        kind: Of each task.
        kinds: How many there are.
        graph: Who depends on whom.

    Examples:
        >>> gather = Graph(3, np.array([0, 1]), np.array([2, 2]))
        >>> kinds_after(np.array([0, 0, 1]), 2, gather)
        [(), (0,)]
    """
    after: list[set[int]] = [set() for _ in range(kinds)]
    for before, later in _pairs(kind, kinds, graph):
        after[later].add(before)
    return [tuple(sorted(some)) for some in after]


def _pairs(kind: Whole, kinds: int, graph: Graph) -> set[Pair]:
    across = kind[graph.before] != kind[graph.after]
    before, after = graph.before[across], graph.after[across]
    keys = kind[before] * kinds + kind[after]
    there = distinct(keys)
    place = np.searchsorted(there, keys)
    edges, users, fed = (
        np.bincount(some, minlength=len(there))
        for some in (place, *(_each_once(place, ends, graph.nodes) for ends in (before, after)))
    )
    pairs = np.stack(np.divmod(there, kinds), axis=1)
    tasks = np.bincount(kind, minlength=kinds)
    first, last = tasks[pairs[:, 0]], tasks[pairs[:, 1]]
    every, all_used, all_fed = edges == first * last, users == first, fed == last
    matched = all_used & all_fed & (edges == first) & (edges == last)
    loose = ~(every | matched)
    full = _through(_listed(pairs[every]), _listed(pairs[all_used & loose]), _listed(pairs[all_fed & loose]))
    return full | set(_listed(pairs[matched]))


def _each_once(place: Whole, tasks: Whole, count: int) -> Whole:
    """Return places with each task counted once for a place."""
    return distinct(place * count + tasks) // count


def _listed(pairs: Whole) -> list[Pair]:
    return [(first, last) for first, last in pairs.tolist()]


def _through(full: list[Pair], used: Iterable[Pair], fed: Iterable[Pair]) -> set[Pair]:
    """Return pairs of kinds of which all wait for all, with those that follow from others.

    Args:
        full: Pairs of which that is known.
        used: Pairs of which each of the first is needed by one of the last.
        fed: Pairs of which each of the last needs one of the first.
    """
    users, feeding = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for first, last in used:
        users[last].append(first)
    for first, last in fed:
        feeding[first].append(last)
    found, waiting = set(full), list(full)
    while waiting and len(found) < _MOST_PAIRS:
        first, last = waiting.pop()
        more = [(first, later) for later in feeding[last]] + [(sooner, last) for sooner in users[first]]
        waiting += [pair for pair in more if pair not in found]
        found.update(more)
    return found
