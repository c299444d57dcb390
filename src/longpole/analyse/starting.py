"""What starting Python took of each task: interpreters from begin to ready, and imports that were noted.

Method: the union of these times over all processes of a task, within the task, so that it never takes longer
than the task. Of marks, which begin when the interpreter has long been ready, each gets an equal part of what
its process took outside of all marks. CPU time of starting is taken to be its time. Of a program that imports
for less than 50 ms in all only a sum of that is known, to two thirds at least: it counts with the start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, known, numbers, sums, whole
from longpole.analyse.intervals import Intervals, union
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units

_NS = 1e9


@dataclass(frozen=True, slots=True, eq=False)
class Starting:
    """What starting took.

    Attributes:
        seconds: Of each task.
        cpu_s: How much of each task's CPU time it was.
        guessed: Of how many interpreters the machine's measure was taken, as the run does not tell.
    """

    seconds: Numbers
    cpu_s: Numbers
    guessed: int


def starting(run: RunTables, units: Units, usual_s: float | None) -> Starting:
    """Return what starting took; ``usual_s`` is what an interpreter takes where the run does not tell."""
    ups, guessed = _start_ups(run, usual_s)
    imports = Intervals(*(whole(run.imports[name]) for name in ("process", "start_ns", "end_ns")))
    both = Intervals(*(np.concatenate((getattr(ups, name), getattr(imports, name))) for name in _PARTS))
    if units.unit is Unit.MARK:
        return _of_marks(units, both, run, guessed)
    place = _owners(units, both.row)
    some = Intervals(place, both.start, both.end).chosen(place >= 0)
    if not len(units) or not units.timed.any():
        return Starting(np.zeros(len(units)), np.zeros(len(units)), guessed)
    inside = some.within(units.start_ns[some.row], units.end_ns[some.row])
    # Each process for itself: two that start at once take two cores.
    alone = union(Intervals(both.row, both.start, both.end))
    place = _owners(units, alone.row)
    cpu = sums(place[place >= 0], _seconds(alone)[place >= 0], len(units))
    return Starting(union(inside).summed(len(units)), cpu, guessed)


_PARTS = ("row", "start", "end")


def _of_marks(units: Units, both: Intervals, run: RunTables, guessed: int) -> Starting:
    of_mark = whole(run.marks["process"])[units.rows]
    marked, place, count = np.unique(of_mark, return_inverse=True, return_counts=True)
    group = np.array([units.owners.get(process, -1) for process in both.row.tolist()], np.int64)
    at = np.searchsorted(marked, group)
    fits = (at < len(marked)) & (marked[np.minimum(at, len(marked) - 1)] == group)
    within = union(Intervals(at, both.start, both.end).chosen(fits))
    marks = union(Intervals(place, units.start_ns, units.end_ns))
    together = union(Intervals(*(np.concatenate((getattr(within, n), getattr(marks, n))) for n in _PARTS)))
    outside = together.summed(len(marked)) - marks.summed(len(marked))
    imported = [_overlap(within, at, units, one) for one, at in enumerate(place.tolist())]
    spread = (np.maximum(outside, 0.0) / count)[place]
    return Starting(spread + np.array(imported), np.array(imported), guessed)


def _overlap(within: Intervals, group: int, units: Units, one: int) -> float:
    mine = within.chosen(within.row == group)
    return float(_seconds(mine.within(int(units.start_ns[one]), int(units.end_ns[one]))).sum())


def _start_ups(run: RunTables, usual_s: float | None) -> tuple[Intervals, int]:
    """Return when interpreters started; in a run that tells of none, each Python takes what is usual."""
    table = run.processes
    took, began = numbers(table["start_up_ns"]), whole(table["start_ns"])
    guessed = 0
    if not np.isfinite(took).any() and usual_s is not None:
        fresh = _pythons(run)
        took, guessed = np.where(fresh, usual_s * _NS, np.nan), int(fresh.sum())
    some = np.isfinite(took) & known(table["start_ns"])
    end = began[some] + np.round(took[some]).astype(np.int64)
    return Intervals(whole(table["id"])[some], began[some], end), guessed


def _pythons(run: RunTables) -> np.typing.NDArray[np.bool_]:
    """Return which processes are Pythons that were not forked from another."""
    rows = {row["id"]: row for row in run.processes.records()}
    found = []
    for row in rows.values():
        parent = rows.get(row["parent"]) or {}
        alike = (row["name"], row["command"]) == (parent.get("name"), parent.get("command"))
        found.append(str(row["name"] or "").startswith("python") and not alike)
    return np.array(found, np.bool_)


def _owners(units: Units, processes: Whole) -> Whole:
    return np.array([units.owners.get(process, -1) for process in processes.tolist()], np.int64)


def _seconds(some: Intervals) -> Numbers:
    return (some.end - some.start) / _NS
