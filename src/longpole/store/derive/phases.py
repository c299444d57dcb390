"""The table of phases: the run, what was told, its processes, what these marked, parts of steps, and sums.

Rows come in that order; ids are dense, from 1. A phase that was open when its process ended has the
process's end and is unfinished; one whose times cannot be true has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.log.slots import UNFINISHED
from longpole.model.execution import Status
from longpole.store.derive.arrays import Arrays, Objects, Part, Whole, hidden, integers, texts
from longpole.store.derive.homes import Home
from longpole.store.derive.known import Known
from longpole.store.derive.marked import Marked
from longpole.store.derive.members import Members
from longpole.store.derive.origins import RUN_ID, Origins
from longpole.store.derive.placing import placed
from longpole.store.derive.processes import Processes
from longpole.store.derive.rings import Rings
from longpole.store.derive.span import Span
from longpole.store.derive.steps import NO_STEP
from longpole.store.derive.sums import Sums
from longpole.store.derive.texts import keys_of
from longpole.store.derive.worked import with_executions

NAMELESS = "?"
_USER_KIND = "phase"
_STATUSES = np.array([Status.OK.value, Status.FAILED.value, Status.UNFINISHED.value], object)


@dataclass(frozen=True, slots=True)
class RunPhase:
    """The run as a phase, the commands that made it together, if it was made so, and what others told.

    Attributes are JSON: what is known of the workflow that it executed.
    """

    name: str
    status: Status
    span: Span
    members: Members
    told: Sequence[Part] = ()
    attributes: str | None = None

    @property
    def rows_before(self) -> int:
        """How many phases come before those of processes, the run itself not counted."""
        return self.members.rows + sum(map(_rows, self.told))


def phase_parts(run: RunPhase, processes: Processes, marked: Marked, rings: Rings, sums: Sums) -> list[Part]:
    """Return the rows of ``phases``; those that others told have their ids, behind the members'."""
    members, told = run.members, run.told
    nested = {index: member.phase for index, member in members.nested.items()}
    origins = Origins(rings, processes, marked, run.rows_before, nested)
    parts = [(1, _run_row(run)), (members.rows, members.phases())] if members else [(1, _run_row(run))]
    parts += [(_rows(part), part) for part in told]
    parts.append((len(processes.all), _process_rows(processes, run.span, origins)))
    if marked.rows:
        parts.append((marked.rows, _marked_rows(marked, run, rings, origins)))
        parts += _step_parts(marked, origins)
    if sums.found:
        parts.append((len(sums.found), _sum_rows(sums, rings, origins)))
    firsts = np.cumsum([RUN_ID, *(count for count, _ in parts)]).tolist()
    numbered = zip(parts, firsts[:-1], firsts[1:], strict=True)
    found = [{"id": _ids(first, last), **part} for (_, part), first, last in numbered if first < last]
    first_process = origins.first_marked - len(processes.all)
    of_processes = range(first_process, origins.first_marked)
    return placed(with_executions(found, of_processes), of_processes)


def _rows(part: Part) -> int:
    return max((len(values) for values in part.values() if isinstance(values, np.ndarray)), default=0)


def _ids(first: int, last: int) -> NDArray[np.integer]:
    return np.arange(first, last, dtype=np.uint32 if last < 1 << 32 else np.int64)


def _run_row(run: RunPhase) -> Part:
    start, end = run.span.start_ns, run.span.end_ns
    return {
        "kind": "run",
        "name": run.name,
        "start_ns": start,
        "end_ns": end,
        "duration_ns": _between(start, end),
        "count": 1,
        "status": run.status.value,
        "attributes": run.attributes,
    }


def _process_rows(processes: Processes, span: Span, origins: Origins) -> Part:
    every = processes.all
    starts, ends = zip(*(_life_of(known, span) for known in every), strict=True) if every else ((), ())
    return {
        "parent": integers([origins.of_process(known) for known in every]),
        "kind": "process",
        "name": texts([known.comm or NAMELESS for known in every]),
        "process": integers([known.id for known in every]),
        **_tasks([known.member for known in every]),
        "start_ns": integers(starts),
        "end_ns": integers(ends),
        "duration_ns": integers([_between(start, end) for start, end in zip(starts, ends, strict=True)]),
        "count": 1,
        "status": texts([_status_of(known) for known in every]),
        "attributes": texts([known.traced for known in every]) if any(k.traced for k in every) else None,
    }


def _tasks(members: Sequence[Home | None]) -> Arrays:
    """Return the task and attempt of each command, where commands made the run together."""
    if not any(members):
        return {}
    return {
        "task": integers([member.task or None if member else None for member in members]),
        "attempt": integers([member.attempt if member and member.task else None for member in members]),
    }


def _marked_rows(marked: Marked, run: RunPhase, rings: Rings, origins: Origins) -> Part:
    columns, span = marked.columns, run.span
    of_rings = [owner.member if owner else None for owner in origins.owners]
    for index, member in run.members.nested.items():
        of_rings[index] = member
    ring, unknown = columns["ring"], columns["impossible"]
    start, end = columns["start"], _ends(columns, span, origins)
    return {
        "parent": _parents(marked, origins),
        "process": _processes(ring, origins),
        **{name: values[ring] for name, values in _tasks(of_rings).items()},
        "kind": _kinds(marked, rings),
        "name": rings.texts.lookup(ring, columns["name"], NAMELESS),
        "lane": columns["lane"],
        "device": _devices(columns),
        "start_ns": hidden(start, unknown),
        "end_ns": hidden(end, unknown),
        "duration_ns": hidden(end - start, unknown),
        "count": 1,
        "status": _STATUSES[np.minimum(columns["status"], UNFINISHED)],
        "attributes": _attributes(columns, rings),
    }


def _step_parts(marked: Marked, origins: Origins) -> list[tuple[int, Part]]:
    """Return the parts of steps, one kind after the other, and how many of each."""
    columns = marked.columns
    return [
        (
            len(rows),
            {
                "parent": rows.astype(np.uint32) + np.uint32(origins.first_marked),
                "process": _processes(columns["ring"][rows], origins),
                "kind": name,
                "name": name,
                "lane": columns["lane"][rows],
                "start_ns": start,
                "end_ns": end,
                "duration_ns": (end - start).astype(np.uint32),
                "count": 1,
                "status": Status.OK.value,
            },
        )
        for name, rows, start, end in marked.steps.parts(columns)
    ]


def _sum_rows(sums: Sums, rings: Rings, origins: Origins) -> Part:
    known = sums.table(rings, NAMELESS, _USER_KIND)
    ring = known.pop("ring")
    return {**known, "parent": origins.tops[ring], "process": _processes(ring, origins)}


def _kinds(marked: Marked, rings: Rings) -> Objects:
    columns = marked.columns
    steps = columns["step"] != NO_STEP
    if steps.all():
        return marked.steps.kinds(columns["step"])
    kinds = rings.texts.lookup(columns["ring"], columns["kind"], _USER_KIND)
    kinds[steps] = marked.steps.kinds(columns["step"][steps])
    return kinds


def _parents(marked: Marked, origins: Origins) -> Whole:
    """Return each phase's parent: in its own ring, where that began first, else what holds the ring."""
    columns = marked.columns
    rows = marked.rows_of(keys_of(columns["ring"], columns["parent"]))
    inside = (rows >= 0) & (columns["parent"] < columns["id"]) & (columns["parent"] > 0)
    return np.where(inside, rows + origins.first_marked, origins.tops[columns["ring"]])


def _processes(ring: NDArray[np.integer], origins: Origins) -> NDArray[np.int32]:
    owners = np.array([owner.id if owner else 0 for owner in origins.owners], np.int32)[ring]
    return hidden(owners, owners == 0)


def _ends(columns: Arrays, span: Span, origins: Origins) -> Whole:
    """Return the end of each phase; one that was open ends with its process, or with what was last seen."""
    ends = [owner.end_ns if owner and owner.end_ns else span.end_ns or 0 for owner in origins.owners]
    of_process = np.array(ends, np.int64)[columns["ring"]]
    open_still = columns["status"] >= UNFINISHED
    return np.where(open_still, np.maximum(columns["start"], of_process), columns["end"])


def _devices(columns: Arrays) -> NDArray[np.int64] | None:
    """Return each phase's device, which rings count from 1."""
    devices = columns["device"]
    return hidden(devices.astype(np.int64) - 1, devices == 0) if devices.any() else None


def _attributes(columns: Arrays, rings: Rings) -> Objects | None:
    some = columns["attributes"] != 0
    if not some.any():
        return None
    found: Objects = np.full(len(some), None, object)
    found[some] = rings.texts.lookup(columns["ring"][some], columns["attributes"][some], None)
    return found


def _life_of(known: Known, span: Span) -> tuple[int | None, int | None]:
    """Return from when to when a process lived, as far as it is known."""
    start_ns, end_ns = _start_of(known, span), _end_of(known, span)
    return known.member.within(start_ns, end_ns) if known.member is not None else (start_ns, end_ns)


def _start_of(known: Known, span: Span) -> int | None:
    """Return when a process began, or the run did if the process was there before."""
    if known.start_ns is None or span.start_ns is None:
        return known.start_ns
    overlaps = known.end_ns is None or known.end_ns >= span.start_ns
    return max(known.start_ns, span.start_ns) if overlaps else known.start_ns


def _end_of(known: Known, span: Span) -> int | None:
    if known.end_ns is not None:
        return known.end_ns
    return None if span.end_ns is None else max(span.end_ns, known.start_ns or 0)


def _between(start_ns: int | None, end_ns: int | None) -> int | None:
    return None if start_ns is None or end_ns is None else max(0, end_ns - start_ns)


def _status_of(known: Known) -> str:
    if known.end_ns is None:
        return Status.UNFINISHED.value
    return Status.FAILED.value if known.status else Status.OK.value
