"""Time by phase: the sums of all phases of one kind and name, and the share of each.

Shares are of the summed time of all phases, over all processes and lanes, so they sum to one; a phase inside
another counts in both, and phases that ran side by side count each. Phases that merely hold all others (the
run, its processes) are left out. Steps and their parts, which have a table of their own, take no share: with
them, the time of a step would count three times over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from longpole.analyse.values import Row, whole, word
from longpole.model.columns import Columns
from longpole.model.execution import CONTAINERS
from longpole.model.overview import PhaseSum
from longpole.units import Nanoseconds

# Kinds of phase that are steps, in the order in which they are listed, and what these are called.
STEP_KINDS = {"step": "training", "inference": "inference"}


@dataclass(slots=True)
class Sum:
    """Some phases of one kind and name: how many, and their time."""

    count: int = 0
    total_ns: Nanoseconds = 0


_NO_PARTS: Mapping[tuple[str, str], Sum] = {}


def phase_sums(phases: Columns, parts: Mapping[tuple[str, str], Sum] = _NO_PARTS) -> tuple[PhaseSum, ...]:
    """Return the sums, the largest first, and then those in steps.

    Args:
        phases: Columns ``kind``, ``name``, ``count`` and ``total_ns``, one row per kind and name.
        parts: What of these, by kind and name, are parts of steps.
    """
    rows = {(word(row["kind"]), word(row["name"])): _sum(row) for row in _marked(phases)}
    in_steps = {key: one if key[0] in STEP_KINDS else parts.get(key, Sum()) for key, one in rows.items()}
    others = {key: _without(one, in_steps[key]) for key, one in rows.items()}
    together = sum(one.total_ns for one in others.values())
    sums = [_share(key, one, together) for key, one in others.items() if one.count or not in_steps[key].count]
    sums += [_share(key, one, 0) for key, one in in_steps.items() if one.count]
    return tuple(sorted(sums, key=lambda phase: (phase.in_steps, -phase.total_s, phase.kind, phase.name)))


def cut_phases(phases: Columns) -> int:
    """Return how many phases had not ended when their process did, from a column ``cut``."""
    return sum(whole(row["cut"]) or 0 for row in _marked(phases))


def _marked(phases: Columns) -> Iterator[Row]:
    return (row for row in phases.records() if row["kind"] not in CONTAINERS)


def _sum(row: Row) -> Sum:
    return Sum(whole(row["count"]) or 0, whole(row["total_ns"]) or 0)


def _without(one: Sum, other: Sum) -> Sum:
    return Sum(max(0, one.count - other.count), max(0, one.total_ns - other.total_ns))


def _share(key: tuple[str, str], one: Sum, together: Nanoseconds) -> PhaseSum:
    return PhaseSum(*key, one.count, one.total_ns / 1e9, one.total_ns / together if together else 0.0)
