"""Time by phase: the sums of all phases of one kind and name, and the share of each.

Shares are of the summed time of all phases, over all processes and lanes, so they sum to one; a phase inside
another counts in both, and phases that ran side by side count each. Phases that merely hold all others (the
run, its processes) are left out.
"""

from __future__ import annotations

from longpole.analyse.values import Row, number, whole, word
from longpole.model.columns import Columns
from longpole.model.execution import CONTAINERS
from longpole.model.overview import PhaseSum


def phase_sums(phases: Columns) -> tuple[PhaseSum, ...]:
    """Return the sums, the largest first.

    Args:
        phases: Columns ``kind``, ``name``, ``count`` and ``total_ns``, one row per kind and name.
    """
    rows = [row for row in phases.records() if row["kind"] not in CONTAINERS]
    together = sum(number(row["total_ns"]) or 0.0 for row in rows)
    sums = [_sum(row, together) for row in rows]
    return tuple(sorted(sums, key=lambda phase: (-phase.total_s, phase.kind, phase.name)))


def cut_phases(phases: Columns) -> int:
    """Return how many phases had not ended when their process did, from a column ``cut``."""
    return sum(whole(row["cut"]) or 0 for row in phases.records() if row["kind"] not in CONTAINERS)


def _sum(row: Row, together: float) -> PhaseSum:
    total = number(row["total_ns"]) or 0.0
    share = total / together if together else 0.0
    return PhaseSum(word(row["kind"]), word(row["name"]), whole(row["count"]) or 0, total / 1e9, share)
