"""Files that processes opened, where the recording watched for that."""

from __future__ import annotations

import numpy as np

from longpole.store.derive.arrays import Arrays, integers, texts
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.notes import Opened
from longpole.store.derive.processes import Processes


def file_tables(logs: list[LogContent], hosts: Hosts, processes: Processes) -> tuple[Arrays, Arrays]:
    """Return the rows of ``files`` and of ``opens``; what nested launchers opened is left out."""
    seen = [(at, note) for at, log in enumerate(logs) for note in log.notes.of(Opened)]
    known = [(at, note, processes.of(at, note.number)) for at, note in seen]
    rows = [(at, note, one.id) for at, note, one in known if one is not None and one.id]
    ids: dict[str, int] = {}
    for _, note, _ in rows:
        ids.setdefault(note.path, len(ids) + 1)
    opens = {
        "process": integers([process for _, _, process in rows]),
        "file": integers([ids[note.path] for _, note, _ in rows]),
        "times": integers([note.times for _, note, _ in rows]),
        "first_ns": integers([_moment(note, hosts.offsets[at]) for at, note, _ in rows]),
        "written": integers([int(bool(note.written)) for _, note, _ in rows]),
    }
    return _files(ids, [(note, process) for _, note, process in rows]), opens


def _files(ids: dict[str, int], rows: list[tuple[Opened, int]]) -> Arrays:
    sizes = {note.path: note.bytes for note, _ in rows if note.bytes >= 0}
    producers = {note.path: process for note, process in rows if note.written}
    return {
        "id": np.arange(1, len(ids) + 1),
        "name": texts(list(ids)),
        "bytes": integers([sizes.get(path) for path in ids]),
        "producer": integers([producers.get(path) for path in ids]),
    }


def _moment(note: Opened, offset: Axis) -> int | None:
    return None if note.first is None else note.first + offset
