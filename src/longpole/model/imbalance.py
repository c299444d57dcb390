"""Imbalance: what siblings that run side by side lose to the slowest of them."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True)
class KindImbalance:
    """All waves of siblings of one kind.

    ``lost_s`` is the imbalance of waves that follow each other, added up; of waves that overlap, which have
    different parents, the largest counts. ``worst_lane`` is the lane that straggled in most waves.
    """

    kind: str
    waves: int
    phases: int
    lost_s: float
    straggling_waves: int
    worst_lane: int | None
    worst_lane_waves: int


@dataclass(frozen=True, slots=True, eq=False)
class Imbalance:
    """What siblings lose to each other.

    Attributes:
        kinds: A summary by kind, the largest loss first.
        waves: One row for each wave of two lanes or more: ``parent``, ``kind``, ``start_ns``, ``end_ns``,
            ``lanes``, ``mean_s``, ``longest_s``, ``imbalance_s``, and ``longest`` (the id of the longest
            phase in the lane that took longest).
        stragglers: One row for each straggler: ``wave`` (a row of ``waves``), ``lane``, ``phase`` (the
            longest one of its lane in that wave), ``seconds`` and ``median_s``.
    """

    kinds: tuple[KindImbalance, ...]
    waves: Columns
    stragglers: Columns
