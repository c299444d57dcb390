"""Interference: use of a host that is not the run's."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class Interference:
    """What others used of one resource of one host, where the host was sampled.

    Attributes:
        intervals: ``start_ns``, ``end_ns``, and as rates ``host``, ``ours`` and ``others`` (never below
            zero), one row for each sample of the host.
        sampled_s: How long the host was sampled.
        host: The mass that all used meanwhile.
        ours: The mass that the run used meanwhile.
        others: The rest of it, never below zero.
        others_share: Others' part of the capacity, None where that is not known.
        contended_s: How long others took a share while the resource was saturated and the run used it too;
            None where the capacity is not known.
    """

    intervals: Columns
    sampled_s: float
    host: float
    ours: float
    others: float
    others_share: float | None
    contended_s: float | None
