"""Repeats of a trial, and what they say together: the best of them, and by how much that may be off.

Method: a ceiling is what a machine does at best, so the best repeat counts. The spread is how far the others
fall behind it, the slowest tenth left out (a machine that others use has hiccups), and 2/n more of that for
n repeats, as few have seen little of what there is. It is at least 5 %, by which even quiet machines differ
from day to day, and at least what there would be besides had nobody else been on the cores: for others on a
fifth of them, a rate a quarter higher, a time a fifth shorter. It knows of nobody beyond this machine: not
of another virtual machine on the same disk, nor of another node on the same network.
"""

from __future__ import annotations

from collections.abc import Sequence

from longpole.model.measured import Measured

LEAST_SPREAD = 0.05
MOST_SPREAD = 0.99


def of_rates(name: str, rates: Sequence[float], others: float = 0.0) -> Measured:
    """Return a resource of which more is better, from its repeats.

    Args:
        name: The resource.
        rates: The repeats: at least one, each above zero.
        others: Which share of the cores others held meanwhile.

    Examples:
        >>> of_rates("memory", [8.0, 10.0, 9.0, 9.0]).spread
        0.3
    """
    ordered = sorted(rates, reverse=True)
    best, worst = ordered[0], _slowest_that_counts(ordered)
    more = others / (1 - others) if others < 1 else 1.0
    return Measured(name, tuple(rates), best, _bounded(_unseen(1 - worst / best, len(rates)), more))


def of_seconds(name: str, seconds: Sequence[float], others: float = 0.0) -> Measured:
    """Return an overhead, of which less is better, from its repeats.

    Examples:
        >>> of_seconds("process", [0.004, 0.005]).best
        0.004
    """
    ordered = sorted(seconds)
    best, worst = ordered[0], _slowest_that_counts(ordered)
    behind = 1 - best / worst if worst else 0.0
    return Measured(name, tuple(seconds), best, _bounded(_unseen(behind, len(seconds)), others))


def agree(one: Measured, other: Measured) -> bool:
    """Return whether two measurements of the same thing differ by no more than their spreads.

    Examples:
        >>> agree(of_rates("memory", [10.0]), of_rates("memory", [10.4]))
        True
    """
    return abs(one.best - other.best) <= max(one.spread * one.best, other.spread * other.best)


def _slowest_that_counts(ordered: Sequence[float]) -> float:
    """Return the last of repeats that begin with the best, without the slowest tenth of them."""
    return ordered[len(ordered) - len(ordered) // 10 - 1]


def _unseen(behind: float, repeats: int) -> float:
    """Return by how much repeats fall behind the best, with what so many of them have not yet seen."""
    return behind * (1 + 2 / repeats)


def _bounded(spread: float, least: float) -> float:
    return round(min(max(spread, least, LEAST_SPREAD), MOST_SPREAD), 4)
