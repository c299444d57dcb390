"""Pieces of time in which no demand changes, and which phases are active in them.

Method: a phase is active but for the intervals in which a blocking resource holds it. Time is cut wherever an
active phase that asks for the resource begins or ends, and where a sample does; never into fixed slices. In a
piece the exact demands and the weights of all active phases add up to constants. Only pieces within a sample
are kept. There are at most two for each active interval and two for each sample.

Source: section 2 of the execution model, after Grade10 (Hegeman et al., 2021, and its ancestor).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.arrays import Marks, Numbers, Whole, distinct, known, rows, seconds, whole
from longpole.analyse.intervals import Intervals, left_over
from longpole.analyse.levels import integral, level
from longpole.analyse.observations import Observations
from longpole.model.attribution import NO_DEMAND, AttributionError, Demands, Rule, Workload
from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    """When phases were active, when something blocked them, and the row of ``blocking`` that says so."""

    active: Intervals
    blocked: Intervals
    blocked_by: Whole
    phases: int


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What each phase asks of one resource, by its row; at most one of the two is above zero."""

    exact: Numbers
    weight: Numbers

    @property
    def some(self) -> Marks:
        """Which phases ask for anything."""
        return (self.exact > 0) | (self.weight > 0)


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces of time; ``observation`` is the sample that each is part of, and it never counts down."""

    start: Whole
    end: Whole
    observation: Whole
    exact: Numbers
    weight: Numbers

    @property
    def seconds(self) -> Numbers:
        """How long each is."""
        return seconds(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """Cuts of time under the intervals of many rows: rates of the cuts are added up row by row."""

    start: Whole
    end: Whole
    intervals: Intervals
    rows: int

    def summed(self, rate: NDArray[np.generic]) -> Numbers:
        """Return the mass of a rate in each row, or the seconds in which a mark is set."""
        masses = integral(self.start, self.end, rate.astype(np.float64))
        each = masses.over(self.intervals.start, self.intervals.end)
        return np.maximum(self.intervals.summed(self.rows, each), 0.0)


def leaves(phases: Columns) -> Columns:
    """Return the phases that are no parent of another, from columns ``id`` and ``parent`` and any others.

    What a parent does between its children is no leaf's: it becomes background, or falls to leaves nearby.
    """
    parents = whole(phases["parent"])[known(phases["parent"])]
    chosen = np.flatnonzero(~np.isin(whole(phases["id"]), parents))
    return Columns({name: rows(phases[name], chosen) for name in phases})


def activity(work: Workload) -> Activity:
    """Return when each phase was active, and when it was blocked, within the window.

    Raises:
        AttributionError: A phase ends before it begins, or two have one id.
    """
    phases = _phases(work)
    blocked, blocked_by = _blocked(work, phases)
    return Activity(left_over(phases, blocked), blocked, blocked_by, work.phases.rows)


def asked(work: Workload, demands: Demands) -> Asked:
    """Return what each phase asks for, by its kind."""
    kinds = work.phases["kind"]
    rules = [demands.get(word, NO_DEMAND) for word in kinds.words or ()]
    place = np.where(known(kinds), whole(kinds), len(rules))
    return Asked(
        *(
            np.array([one.amount if one.rule is rule else 0.0 for one in (*rules, NO_DEMAND)])[place]
            for rule in (Rule.EXACT, Rule.VARIABLE)
        )
    )


def cut(active: Intervals, wanted: Asked, observed: Observations) -> Pieces:
    """Return the sampled time, cut where demands or samples change, with what is demanded in each piece."""
    asking = active.chosen(wanted.some[active.row])
    moments = distinct(np.concatenate((asking.start, asking.end, observed.start, observed.end)))
    start, end = moments[:-1], moments[1:]
    sample = np.searchsorted(observed.start, start, "right") - 1
    inside = sample >= 0
    inside[inside] = start[inside] < observed.end[sample[inside]]
    start, end, sample = start[inside], end[inside], sample[inside].astype(np.int64)
    exact, weight = (_demanded(asking, amount, start) for amount in (wanted.exact, wanted.weight))
    return Pieces(start, end, sample, exact, weight)


def _demanded(active: Intervals, amount: Numbers, moments: Whole) -> Numbers:
    """Return how much is demanded at each moment, exactly zero where no one demands any."""
    amounts = amount[active.row]
    asking = active.chosen(amounts > 0)
    return level(asking.start, asking.end, amounts[amounts > 0]).at(moments)


def _phases(work: Workload) -> Intervals:
    """Return all phases in their order, cut to the window; one outside has no length."""
    start, end = whole(work.phases["start_ns"]), whole(work.phases["end_ns"])
    backward = np.flatnonzero(end < start)
    if len(backward):
        raise AttributionError(f"Phase {work.phases['id'][int(backward[0])]} ends before it begins.")
    if work.window is not None:
        start, end = np.clip(start, *work.window), np.clip(end, *work.window)
    return Intervals(np.arange(len(start)), start, end)


def _blocked(work: Workload, phases: Intervals) -> tuple[Intervals, Whole]:
    """Return blocked time cut to its phase, and the rows that tell of it; other phases' is left out."""
    ids, place = np.unique(whole(work.phases["id"]), return_index=True)
    if len(ids) < len(phases):
        raise AttributionError("Two phases have one id: what blocks them cannot be told apart.")
    holder = whole(work.blocking["phase"])
    found = np.flatnonzero(np.isin(holder, ids))
    row = place[np.searchsorted(ids, holder[found])].astype(np.int64)
    start = np.maximum(whole(work.blocking["start_ns"])[found], phases.start[row])
    end = np.minimum(whole(work.blocking["end_ns"])[found], phases.end[row])
    some = start < end
    return Intervals(row, start, end).chosen(some), found[some]
