"""The table of phases: the run itself, its processes, what the processes marked, and sums of such marks.

Rows come in that order; ids are dense, from 1. A phase that was open when its process ended has the
process's end and is unfinished; one whose times cannot be true has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.log.slots import UNFINISHED
from longpole.model.execution import Status
from longpole.store.derive.arrays import Arrays, Objects, Part, Whole, hidden, integers, texts
from longpole.store.derive.content import LogContent
from longpole.store.derive.marked import Marked
from longpole.store.derive.notes import Sum
from longpole.store.derive.origins import RUN_ID, Origins
from longpole.store.derive.processes import Known, Processes
from longpole.store.derive.rings import Rings
from longpole.store.derive.span import Span
from longpole.store.derive.texts import keys_of

NAMELESS = "?"
_USER_KIND = "phase"
_STATUSES = np.array([Status.OK.value, Status.FAILED.value, Status.UNFINISHED.value], object)


@dataclass(frozen=True, slots=True)
class RunPhase:
    """The run as a phase."""

    name: str
    status: Status
    span: Span


def phase_parts(
    run: RunPhase, processes: Processes, marked: Marked, rings: Rings, sums: Arrays
) -> list[Part]:
    """Return the rows of ``phases``; ``sums`` are those that ``sum_rows`` has made."""
    origins = Origins(rings, processes, marked)
    counts = (1, len(processes.all), marked.rows, len(sums["ring"]))
    parts: list[Part] = [_run_row(run), _process_rows(processes, run.span, origins)]
    parts.append(_marked_rows(marked, run.span, rings, origins) if marked.rows else {})
    parts.append(_finished_sums(sums, origins) if counts[3] else {})
    firsts = np.cumsum((RUN_ID, *counts[:-1])).tolist()
    numbered = zip(parts, firsts, counts, strict=True)
    return [{"id": np.arange(first, first + count), **part} for part, first, count in numbered if count]


def sum_rows(logs: list[LogContent], rings: Rings, offsets: list[int]) -> Arrays:
    """Return the phases that were kept as sums, each with its ring."""
    found = [
        (rings.index(at, note.source), note, offsets[at])
        for at, log in enumerate(logs)
        for note in log.notes.of(Sum)
    ]
    indices = np.array([index for index, _, _ in found], np.int64)
    notes = [note for _, note, _ in found]
    return {
        "ring": indices,
        "kind": rings.texts.lookup(indices, np.array([note.kind for note in notes], np.int64), _USER_KIND),
        "name": rings.texts.lookup(indices, np.array([note.name for note in notes], np.int64), NAMELESS),
        "start_ns": integers([note.start + offset for _, note, offset in found]),
        "end_ns": integers([max(note.start, note.end) + offset for _, note, offset in found]),
        "duration_ns": integers([note.total_ns for note in notes]),
        "count": integers([note.count for note in notes]),
        "status": _STATUSES[np.array([min(note.status, UNFINISHED) for note in notes], np.int64)],
    }


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
    }


def _process_rows(processes: Processes, span: Span, origins: Origins) -> Part:
    every = processes.all
    ends = [_end_of(known, span) for known in every]
    return {
        "parent": integers([origins.of_process(known) for known in every]),
        "kind": "process",
        "name": texts([known.comm or NAMELESS for known in every]),
        "process": integers([known.id for known in every]),
        "start_ns": integers([known.start_ns for known in every]),
        "end_ns": integers(ends),
        "duration_ns": integers(
            [_between(known.start_ns, end) for known, end in zip(every, ends, strict=True)]
        ),
        "count": 1,
        "status": texts([_status_of(known) for known in every]),
    }


def _marked_rows(marked: Marked, span: Span, rings: Rings, origins: Origins) -> Part:
    columns = marked.columns
    ring, unknown = columns["ring"], columns["impossible"]
    start, end = columns["start"], _ends(columns, span, origins)
    return {
        "parent": _parents(marked, origins),
        "process": _processes(ring, origins),
        "kind": rings.texts.lookup(ring, columns["kind"], _USER_KIND),
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


def _finished_sums(sums: Arrays, origins: Origins) -> Part:
    ring = sums["ring"]
    known = {name: values for name, values in sums.items() if name != "ring"}
    return {**known, "parent": origins.tops[ring], "process": _processes(ring, origins)}


def _parents(marked: Marked, origins: Origins) -> Whole:
    """Return each phase's parent: in its own ring, where that began first, else what holds the ring."""
    columns = marked.columns
    rows = marked.rows_of(keys_of(columns["ring"], columns["parent"]))
    inside = (rows >= 0) & (columns["parent"] < columns["id"]) & (columns["parent"] > 0)
    return np.where(inside, rows + origins.first_marked, origins.tops[columns["ring"]])


def _processes(ring: NDArray[np.integer], origins: Origins) -> NDArray[np.int64]:
    owners = np.array([owner.id if owner else 0 for owner in origins.owners], np.int64)[ring]
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
