"""Imbalance: what siblings that run side by side lose to the slowest, and which one that is.

Method: siblings are phases of one parent and one kind. Those that a chain of overlaps joins are a wave. In a
wave, what one lane does in sequence is added up; the wave's imbalance is the longest lane less the mean of
all lanes: what even shares would have saved. Waves that follow each other add up. A lane is a straggler if it
took more than the median of its wave plus 5 times the median distance from it (MAD; 3.4 standard deviations
of a normal spread), and more than 1.2 times the median. Both rules need three lanes to say anything.

Source: section 3 of the execution model, after Grade10. Limits: siblings that only touch are in sequence. In
a pool that is never empty all tasks make one wave, so only the lanes' sums are compared. Phases of one lane
that overlap are added up as if they did not. The loss is of the wave alone: the run may wait on another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, begins, column, known, seconds, sums, whole, words
from longpole.analyse.intervals import Intervals, overlapping
from longpole.model.columns import Columns
from longpole.model.imbalance import Imbalance, KindImbalance

STRAGGLER_MADS = 5.0
STRAGGLER_RATIO = 1.2


@dataclass(frozen=True, slots=True, eq=False)
class _Phases:
    """Phases in order of wave, lane and duration."""

    id: Whole
    parent: Whole
    kind: Whole
    lane: Whole
    wave: Whole
    start: Whole
    end: Whole


@dataclass(frozen=True, slots=True, eq=False)
class _Lanes:
    """What each lane did in each wave; ``longest`` is the row of its longest phase."""

    wave: Whole
    lane: Whole
    seconds: Numbers
    longest: Whole


@dataclass(frozen=True, slots=True, eq=False)
class _Waves:
    """One row for each wave; ``first`` is the first of its phases, ``slowest`` the longest of its lanes."""

    first: Whole
    start: Whole
    end: Whole
    lanes: Whole
    mean: Numbers
    median: Numbers
    deviation: Numbers
    slowest: Whole


def imbalance(phases: Columns) -> Imbalance:
    """Return what siblings lose to each other.

    Args:
        phases: Columns ``id``, ``parent``, ``kind``, ``lane`` (a number for each thread of each process; not
            known is a lane of its own), ``start_ns`` and ``end_ns``. Phases without a parent are siblings.
    """
    found = _phases(phases)
    lanes = _lanes(found)
    waves = _waves(found, lanes)
    limit = np.maximum(waves.median + STRAGGLER_MADS * waves.deviation, STRAGGLER_RATIO * waves.median)
    straggling = (lanes.seconds > limit[lanes.wave]) & (waves.lanes >= 3)[lanes.wave]
    kinds = phases["kind"].words or ()
    wide = waves.lanes >= 2
    return Imbalance(
        kinds=_by_kind(found, lanes, waves, straggling, kinds),
        waves=_wave_table(found, lanes, waves, wide, kinds),
        stragglers=_straggler_table(found, lanes, waves, straggling, np.cumsum(wide) - 1),
    )


def _phases(phases: Columns) -> _Phases:
    start, end, kind = whole(phases["start_ns"]), whole(phases["end_ns"]), whole(phases["kind"])
    parent = np.where(known(phases["parent"]), whole(phases["parent"]), -1)
    alone = -1 - np.arange(len(start))
    lane = np.where(known(phases["lane"]), whole(phases["lane"]), alone)
    _, parents = np.unique(parent, return_inverse=True)
    siblings = parents * (int(kind.max(initial=0)) + 1) + kind
    wave = overlapping(Intervals(siblings, start, end))
    order = np.lexsort((end - start, lane, wave))
    columns = (whole(phases["id"]), parent, kind, lane, wave, start, end)
    return _Phases(*(values[order] for values in columns))


def _lanes(found: _Phases) -> _Lanes:
    """Return the lanes of each wave; rows of one lane lie together, the longest last."""
    fresh = begins(found.wave) | begins(found.lane)
    firsts = np.flatnonzero(fresh)
    lane = np.cumsum(fresh) - 1
    took = sums(lane, seconds(found.start, found.end), len(firsts))
    lasts = np.append(firsts[1:], len(fresh))[: len(firsts)] - 1
    return _Lanes(found.wave[firsts], found.lane[firsts], took, lasts)


def _waves(found: _Phases, lanes: _Lanes) -> _Waves:
    firsts = np.flatnonzero(begins(found.wave))
    count = np.bincount(lanes.wave, minlength=len(firsts))
    median = _medians(lanes.wave, lanes.seconds, count)
    order = np.lexsort((lanes.seconds, lanes.wave))
    return _Waves(
        first=firsts,
        start=np.minimum.reduceat(found.start, firsts) if len(firsts) else firsts,
        end=np.maximum.reduceat(found.end, firsts) if len(firsts) else firsts,
        lanes=count,
        mean=sums(lanes.wave, lanes.seconds, len(firsts)) / count,
        median=median,
        deviation=_medians(lanes.wave, np.abs(lanes.seconds - median[lanes.wave]), count),
        slowest=order[np.cumsum(count) - 1],
    )


def _medians(groups: Whole, values: Numbers, count: Whole) -> Numbers:
    """Return the median of each group; groups are numbered from zero, and none is empty."""
    ordered = values[np.lexsort((values, groups))]
    first = np.cumsum(count) - count
    low, high = ordered[first + (count - 1) // 2], ordered[first + count // 2]
    return np.asarray((low + high) / 2, np.float64)


def _lost(lanes: _Lanes, waves: _Waves) -> Numbers:
    return np.maximum(lanes.seconds[waves.slowest] - waves.mean, 0.0)


def _by_kind(
    found: _Phases, lanes: _Lanes, waves: _Waves, straggling: Marks, kinds: tuple[str, ...]
) -> tuple[KindImbalance, ...]:
    """Return a summary of each kind that has a wave of two lanes or more, the largest loss first."""
    kind = found.kind[waves.first]
    lost = _lost_by_kind(kind, waves, _lost(lanes, waves), len(kinds))
    wide = np.bincount(kind[waves.lanes >= 2], minlength=len(kinds))
    phases = np.bincount(found.kind, minlength=len(kinds))
    held_up = np.bincount(kind[np.unique(lanes.wave[straggling])], minlength=len(kinds))
    found_by = kind[lanes.wave[straggling]]
    summaries = []
    for at in np.flatnonzero(wide).tolist():
        lane, times = _most_often(lanes.lane[straggling][found_by == at]) if held_up[at] else (None, 0)
        counts = int(wide[at]), int(phases[at]), float(lost[at]), int(held_up[at])
        summaries.append(KindImbalance(kinds[at], *counts, worst_lane=lane, worst_lane_waves=times))
    return tuple(sorted(summaries, key=lambda one: (-one.lost_s, one.kind)))


def _lost_by_kind(kind: Whole, waves: _Waves, lost: Numbers, kinds: int) -> Numbers:
    """Return the loss of all waves of each kind; of those that overlap the largest counts."""
    together = overlapping(Intervals(kind, waves.start, waves.end))
    largest, kind_of = np.zeros(len(together)), np.zeros(len(together), np.int64)
    np.maximum.at(largest, together, lost)
    kind_of[together] = kind
    return sums(kind_of, largest, kinds)


def _most_often(lanes: Whole) -> tuple[int | None, int]:
    """Return the lane that is there most often, and how often; lanes below zero have no name."""
    named, times = np.unique(lanes[lanes >= 0], return_counts=True)
    return (int(named[np.argmax(times)]), int(times.max())) if len(named) else (None, 0)


def _wave_table(found: _Phases, lanes: _Lanes, waves: _Waves, wide: Marks, kinds: tuple[str, ...]) -> Columns:
    first, slowest = waves.first[wide], waves.slowest[wide]
    parent = found.parent[first]
    return Columns(
        {
            "parent": column(parent, parent >= 0),
            "kind": words(found.kind[first], kinds),
            "start_ns": column(waves.start[wide]),
            "end_ns": column(waves.end[wide]),
            "lanes": column(waves.lanes[wide]),
            "mean_s": column(waves.mean[wide]),
            "longest_s": column(lanes.seconds[slowest]),
            "imbalance_s": column(_lost(lanes, waves)[wide]),
            "longest": column(found.id[lanes.longest[slowest]]),
        }
    )


def _straggler_table(
    found: _Phases, lanes: _Lanes, waves: _Waves, straggling: Marks, wave_row: Whole
) -> Columns:
    wave, lane = lanes.wave[straggling], lanes.lane[straggling]
    return Columns(
        {
            "wave": column(wave_row[wave]),
            "lane": column(lane, lane >= 0),
            "phase": column(found.id[lanes.longest[straggling]]),
            "seconds": column(lanes.seconds[straggling]),
            "median_s": column(waves.median[wave]),
        }
    )
