"""What the tasks of a run are: what was declared, else the user's marks, else programs, else the command.

Declared tasks count if they ran. The user's own marks, the outermost of each thread, count if together they
cover half of the run. Programs are those of ``top_programs``, if they are long enough for all to be seen. A
process belongs to the task that it, or what started it, is of; with marks as tasks it belongs to the marked
process above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, known, numbers, places, whole
from longpole.analyse.mark_nesting import NONE, enclosing
from longpole.analyse.run_tables import RunTables
from longpole.analyse.top_programs import Program, Programs
from longpole.analyse.unions import union

_COVERED = 0.5
# Without exit records, processes that are shorter may be missing.
_SURELY_SEEN_S = 0.5


class Unit(StrEnum):
    """What a task is; the value says it in words."""

    TASK = "a job as the workflow declares it"
    MARK = "a part that the program marks with longpole.phase"
    PROGRAM = "a program that the command started, with all processes below it"
    COMMAND = "the whole command"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The tasks of a run, by place.

    Attributes:
        unit: What they are.
        ids: Ids of tasks, marks or processes; edges name them.
        names: Kinds.
        kind: Place of each one's kind in ``names``.
        start_ns: When each began; 0 where it is not known.
        end_ns: When each ended; 0 where it is not known.
        took_s: How long each took; NaN where it is not known.
        timed: Whether it is known when each ran.
        owners: Which task a process belongs to; with marks, the process whose marks are tasks.
        rows: Place in the table of tasks or marks.
    """

    unit: Unit
    ids: Whole
    names: tuple[str, ...]
    kind: Whole
    start_ns: Whole
    end_ns: Whole
    took_s: Numbers
    timed: Marks
    owners: Mapping[int, int]
    rows: Whole

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.ids)


def units_of(run: RunTables) -> Units:
    """Return the tasks of a run."""
    if run.tasks.rows:
        return _declared(run)
    marked = _marked(run)
    if marked is not None:
        return marked
    programs = Programs(run.processes, run.span)
    found = programs.tasks(run.run_s) if run.hosts <= 1 else []
    if len(found) < 2 or too_short_to_count(run, found):
        return _command(run, programs)
    return _programs(found, programs)


def too_short_to_count(run: RunTables, found: list[Program]) -> bool:
    """Return whether programs are so short that others like them were not seen."""
    return not run.all_seen and median(one.took_s for one in found) < _SURELY_SEEN_S


def _declared(run: RunTables) -> Units:
    ran = known(run.tasks["duration_ns"])
    rows = np.flatnonzero(ran) if ran.any() else np.arange(run.tasks.rows)
    ids = whole(run.tasks["id"])[rows]
    words = run.tasks["type"].words or ("",)
    used, kind = np.unique(whole(run.tasks["type"])[rows], return_inverse=True)
    timed = (known(run.tasks["start_ns"]) & known(run.tasks["end_ns"]))[rows]
    start, end = (np.where(timed, whole(run.tasks[name])[rows], 0) for name in ("start_ns", "end_ns"))
    inside = places(ids, whole(run.inside["task"]))
    pairs = zip(whole(run.inside["process"]).tolist(), inside.tolist(), strict=True)
    return Units(
        unit=Unit.TASK,
        ids=ids,
        names=_told_apart([words[at] or "task" for at in used.tolist()]),
        kind=kind.astype(np.int64),
        start_ns=start,
        end_ns=end,
        took_s=numbers(run.tasks["duration_ns"])[rows] / 1e9,
        timed=timed,
        owners={process: at for process, at in pairs if at >= 0},
        rows=rows,
    )


def _marked(run: RunTables) -> Units | None:
    """Return the outermost marks; nothing if they cover too little."""
    if not run.marks.rows:
        return None
    rows = np.flatnonzero(enclosing(run.marks) == NONE)
    start, end = (whole(run.marks[name])[rows] for name in ("start_ns", "end_ns"))
    covered_s = union(start, end).within(np.array([run.span[0]]), np.array([run.span[1]])).sum() / 1e9
    if covered_s < _COVERED * run.run_s:
        return None
    words = run.marks["name"].words or ("",)
    used, kind = np.unique(whole(run.marks["name"])[rows], return_inverse=True)
    return Units(
        unit=Unit.MARK,
        ids=whole(run.marks["id"])[rows],
        names=_told_apart([words[at] or "?" for at in used.tolist()]),
        kind=kind.astype(np.int64),
        start_ns=start,
        end_ns=end,
        took_s=(end - start) / 1e9,
        timed=np.ones(len(rows), np.bool_),
        owners=_marked_above(run, set(whole(run.marks["process"])[rows].tolist())),
        rows=rows,
    )


def _told_apart(names: list[str]) -> tuple[str, ...]:
    """Return names of which no two are the same: one without a name may be called as another is."""
    taken, found = set(names), dict[str, None]()
    for name in names:
        own, number = name, 1
        while own in found or (number > 1 and own in taken):
            number += 1
            own = f"{name} ({number})"
        found[own] = None
    return tuple(found)


def _marked_above(run: RunTables, marked: set[int]) -> dict[int, int]:
    """Return for each process itself or the nearest above it that is marked; those of none are left out."""
    parents = dict(
        zip(whole(run.processes["id"]).tolist(), whole(run.processes["parent"]).tolist(), strict=True)
    )
    found: dict[int, int] = {}
    for process in parents:
        at, seen = process, set[int]()
        while at not in marked and at in parents and at not in seen:
            seen.add(at)
            at = parents[at]
        if at in marked:
            found[process] = at
    return found


def _programs(found: list[Program], programs: Programs) -> Units:
    names = tuple(dict.fromkeys(one.kind for one in found))
    owners = {below.id: at for at, one in enumerate(found) for below in programs.below(one)}
    return _of_programs(Unit.PROGRAM, found, names, owners)


def _command(run: RunTables, programs: Programs) -> Units:
    top = min(programs.roots, key=lambda one: one.id, default=None)
    name = run.name or "command"
    whole_run = Program(top.id if top else 0, 0, name, "", *run.span, own_s=0.0, kind=name)
    return _of_programs(Unit.COMMAND, [whole_run], (name,), dict.fromkeys(programs.all, 0))


def _of_programs(unit: Unit, found: list[Program], names: tuple[str, ...], owners: dict[int, int]) -> Units:
    count, place = len(found), {name: at for at, name in enumerate(names)}
    return Units(
        unit=unit,
        ids=np.array([one.id for one in found], np.int64),
        names=names,
        kind=np.array([place[one.kind] for one in found], np.int64),
        start_ns=np.array([one.start_ns for one in found], np.int64),
        end_ns=np.array([one.end_ns for one in found], np.int64),
        took_s=np.array([one.took_s for one in found]),
        timed=np.ones(count, np.bool_),
        owners=owners,
        rows=np.arange(count),
    )
