"""Own time of the phases of one host, as rows that use can be given to.

Each phase's own time is laid on the axis of its process's life, so that samples of a process are given to the
phases of that process alone. A phase that started processes and hardly computes while they run is blocked by
them; that time is none of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, column, numbers, over, seconds, sums, whole, words
from longpole.analyse.host_means import Measured
from longpole.analyse.intervals import Intervals
from longpole.analyse.levels import integral
from longpole.analyse.lives import Lives
from longpole.analyse.own_time import own_time, started
from longpole.analyse.phase_groups import Groups
from longpole.analyse.rates import per_group
from longpole.analyse.tree import Tree
from longpole.model.attribution import Workload
from longpole.model.columns import Columns

# A process that waits for others uses no more of a core.
_MOST_CORES = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class PhaseRows:
    """Own time of phases.

    Attributes:
        tree: The phases of the run.
        real: Their own time; ``row`` is the place of the phase.
        work: The same on the axis of lives; the kind of each is its group.
        blocked_s: How long each group waited for processes that it started.
        left_out_s: How long what is in no row is: too short to count, or outside of its process's life.
    """

    tree: Tree
    real: Intervals
    work: Workload
    blocked_s: Numbers
    left_out_s: Numbers

    @property
    def length_s(self) -> Numbers:
        """How long all rows of each group are."""
        return per_group(self.work, seconds(self.real.start, self.real.end))

    def mean_while(self, found: Measured) -> Numbers:
        """Return the mean of what was measured while phases of each group ran."""
        length = seconds(self.real.start, self.real.end)
        return over(per_group(self.work, found.mean(self.real.start, self.real.end) * length), self.length_s)

    def in_real_time(self, some: Whole) -> Workload:
        """Return some rows as they were in real time, where those of all processes meet."""
        table = {
            "id": column(some),
            "kind": words(whole(self.work.phases["kind"])[some], self.work.phases["kind"].words or ()),
            "start_ns": column(self.real.start[some]),
            "end_ns": column(self.real.end[some]),
        }
        return Workload(Columns(table))


def phase_rows(tree: Tree, groups: Groups, lives: Lives, cpu: Columns, most: int) -> PhaseRows:
    """Return the own time of phases of these processes; of more intervals than ``most`` the longest.

    Args:
        tree: The phases of the run.
        groups: The group of each.
        lives: The processes.
        cpu: What they used of cores, on the axis of their lives.
        most: How many intervals there may be.
    """
    places = groups.places[np.isin(tree.process[groups.places], lives.process)]
    own = own_time(tree, places, _waiting(tree, places, lives, cpu))
    alone = own_time(tree, places, np.zeros(len(tree), np.bool_))
    blocked = np.maximum(alone.summed(len(tree)) - own.summed(len(tree)), 0.0)
    every = sums(groups.of_place[own.row], seconds(own.start, own.end), len(groups.words))
    own = _longest(own, most)
    laid, kept = lives.laid(Intervals(tree.process[own.row], own.start, own.end))
    real = Intervals(own.row[kept], own.start[kept], own.end[kept])
    table = {
        "id": column(np.arange(len(laid))),
        "kind": words(groups.of_place[real.row], groups.words),
        "start_ns": column(laid.start),
        "end_ns": column(laid.end),
    }
    work = Workload(Columns(table))
    left_out = np.maximum(every - per_group(work, seconds(laid.start, laid.end)), 0.0)
    return PhaseRows(tree, real, work, sums(groups.of_place, blocked, len(groups.words)), left_out)


def _waiting(tree: Tree, places: Whole, lives: Lives, cpu: Columns) -> Marks:
    """Return which phases do nothing while processes run that they have started."""
    runs = started(tree, places)
    laid, kept = lives.laid(Intervals(tree.process[runs.row], runs.start, runs.end))
    mass = integral(whole(cpu["start_ns"]), whole(cpu["end_ns"]), numbers(cpu["value"]))
    used = sums(runs.row[kept], mass.over(laid.start, laid.end), len(tree))
    ran = sums(runs.row[kept], seconds(laid.start, laid.end), len(tree))
    waits: Marks = (ran > 0) & (used <= _MOST_CORES * ran)
    return waits


def _longest(own: Intervals, most: int) -> Intervals:
    if len(own) <= most:
        return own
    kept = np.zeros(len(own), np.bool_)
    kept[np.argsort(own.start - own.end, kind="stable")[:most]] = True
    return own.chosen(kept)
