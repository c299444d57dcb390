"""Cycles of a directed graph: whether there is one, the nodes of one, and a sentence on it.

Method: take away nodes that nothing left comes before, as long as there are any (Kahn); what is left has a
cycle, and going back from any node of it ends in one. Linear in nodes and edges, in plain Python: a
chain of a million nodes has a million levels, and arrays gain nothing there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from longpole.exchange.sentences import quoted
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.columns import Columns

_MOST_SHOWN = 10


def find_cycle(nodes: int, befores: NDArray[np.int64], afters: NDArray[np.int64]) -> list[int]:
    """Return the nodes of one cycle in their order; none if there is no cycle.

    Args:
        nodes: How many there are; they are numbered from 0.
        befores: For each edge, the node it leads from.
        afters: For each edge, the node it leads to.

    Examples:
        >>> find_cycle(3, np.array([0, 1]), np.array([1, 2]))
        []
        >>> sorted(find_cycle(4, np.array([0, 1, 2, 3]), np.array([1, 2, 1, 0])))
        [1, 2]
    """
    left = _in_or_behind_cycles(nodes, befores, afters)
    if not left.any():
        return []
    inside = left[befores] & left[afters]
    before = np.zeros(nodes, np.int64)
    before[afters[inside]] = befores[inside]
    return _way_round(int(np.flatnonzero(left)[0]), before)


def check_order(
    befores: NDArray[np.int64], afters: NDArray[np.int64], names: Sequence[str], what: str = "task"
) -> None:
    """Refuse tasks, or what else is called ``what``, that wait for each other.

    Raises:
        UnreadableFileError: There is a cycle; the sentence has those of one, and does not name the file.
    """
    cycle = find_cycle(len(names), befores, afters)
    if not cycle:
        return
    if len(cycle) == 1:
        raise UnreadableFileError(f"{what} {quoted(names[cycle[0]])} depends on itself.")
    some = [quoted(names[row]) for row in cycle[:_MOST_SHOWN]]
    more = f" and {len(cycle) - _MOST_SHOWN:,} more" if len(cycle) > _MOST_SHOWN else ""
    raise UnreadableFileError(f"its {what}s depend on each other in a circle: {', '.join(some)}{more}.")


def check_tables(tables: Mapping[str, Columns]) -> None:
    """Refuse a run whose tasks, which have the ids 1, 2, 3 and so on, wait for each other.

    Raises:
        UnreadableFileError: There is a cycle; as ``check_order`` says it.
    """
    if "edges" not in tables or not tables["edges"].rows:
        return
    befores, afters = (np.asarray(tables["edges"][side].values) - 1 for side in ("from_task", "to_task"))
    check_order(befores, afters, [str(name) for name in tables["tasks"]["name"]])


def _in_or_behind_cycles(
    nodes: int, befores: NDArray[np.int64], afters: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which nodes cannot be put in an order; each of them has one of them before it."""
    waiting = np.bincount(afters, minlength=nodes).tolist()
    order = np.argsort(befores, kind="stable")
    following = afters[order].tolist()
    firsts = np.searchsorted(befores[order], np.arange(nodes + 1)).tolist()
    ready = [node for node in range(nodes) if not waiting[node]]
    while ready:
        node = ready.pop()
        for after in following[firsts[node] : firsts[node + 1]]:
            waiting[after] -= 1
            if not waiting[after]:
                ready.append(after)
    return np.array(waiting, np.int64) > 0


def _way_round(start: int, before: NDArray[np.int64]) -> list[int]:
    seen: dict[int, int] = {}
    node = start
    while node not in seen:
        seen[node] = len(seen)
        node = int(before[node])
    return list(seen)[seen[node] :][::-1]
