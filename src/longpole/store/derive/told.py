"""What other systems told of a run, as rows of its tables: ids made our own, references kept.

Each teller numbers its rows as it likes; a row with an id that came before replaces that one, so that what
was told when it began can be told again when it has ended. A reference to nothing is empty.

A teller from within tells of processes that were recorded (``within`` finds which): these have no rows of
their own, and its times become the run's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from longpole.model.execution import TABLES, Scope
from longpole.store.derive.arrays import LATEST_NS, Arrays, hidden, joined, places
from longpole.store.derive.content import LogContent
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.known import Known
from longpole.store.derive.notes import Teller
from longpole.store.derive.pieces import PieceError, read_piece
from longpole.store.derive.processes import Processes
from longpole.store.derive.within import Traced, as_recorded, same_as, set_aside

# Which table a column refers to; a phase's parent and a process's are of their own table.
_REFERENCES = {
    "task": "tasks",
    "from_task": "tasks",
    "to_task": "tasks",
    "from_phase": "phases",
    "to_phase": "phases",
    "file": "files",
    "process": "processes",
    "producer": "processes",
    "host": "hosts",
    "resource": "resources",
}
_OWNERS = {Scope.PHASE: "phases", Scope.PROCESS: "processes", Scope.HOST: "hosts"}
_TIMES = ("start_ns", "end_ns", "at_ns", "first_ns")
_LATEST_UTC_NS = 4 * LATEST_NS


@dataclass(frozen=True, slots=True)
class _Teller:
    """What one teller told: whole tables, and its ids in order; one that quotes another has two names.

    One from within has traced processes, and by their ids the recorded ones that they are. One of ours calls
    processes by the numbers that they have in the run.
    """

    sources: tuple[str, ...]
    tables: dict[str, Arrays]
    ids: dict[str, NDArray[np.int64]]
    within: bool = False
    ours: bool = False
    traced: tuple[Traced, ...] = ()
    recorded: dict[int, Known] = field(default_factory=dict)


class ToldRows:
    """All that was told.

    Attributes:
        unusable: How many pieces could not be understood.
        strangers: How many traced processes are none of those that were recorded.
        sources: Who told.
        gaps: What they could not tell.
    """

    def __init__(self, logs: list[LogContent]) -> None:
        """Read the pieces."""
        self.unusable = self.strangers = 0
        self._hosts: Hosts | None = None
        notes = [note for log in logs for note in log.notes.of(Teller)]
        self.sources = tuple(dict.fromkeys(note.source for note in notes))
        self.gaps = tuple(dict.fromkeys(gap for note in notes for gap in note.gaps))
        self._tellers = [self._read(log) for log in logs]

    def add_own(self, source: str, tables: dict[str, Arrays]) -> None:
        """Put what a program of ours told before what others did; it calls processes as the run does."""
        self._tellers.insert(0, _Teller((source,), tables, _ids_of(tables), ours=True))

    @property
    def traced(self) -> list[Traced]:
        """The processes that tellers from within tell of."""
        return [process for teller in self._tellers for process in teller.traced]

    def recognise(self, processes: Processes, hosts: Hosts) -> None:
        """Find which recorded process each traced one is; these have their ids."""
        self._hosts = hosts
        for teller in self._tellers:
            for traced in teller.traced:
                found = same_as(traced, processes, hosts)
                if len(found) == 1:
                    teller.recorded[traced.id] = found[0]
                    _learn(found[0], traced)
                else:
                    self.strangers += 1

    def span(self) -> tuple[int, int] | None:
        """Return the first begin and the last end of all phases; nothing where no time is known.

        What is told from within lies in what was recorded.
        """
        starts, ends = [self._moments(name) for name in ("start_ns", "end_ns")]
        every = np.concatenate([starts, ends]) if len(starts) or len(ends) else starts
        return (int(every.min()), int(every.max())) if len(every) else None

    def count(self, table: str) -> int:
        """Return how many rows of a table there are."""
        return sum(len(teller.ids[table]) for teller in self._tellers if table in teller.ids)

    def parts(self, table: str, before: dict[str, int]) -> list[Arrays]:
        """Return the rows of a table; ``before`` is how many rows of each table come before those told."""
        found: list[Arrays] = []
        bases = dict(before)
        for teller in self._tellers:
            if table in teller.tables:
                found.append(self._settled(teller, _with_own_ids(table, teller, bases), table))
            for name, ids in teller.ids.items():
                bases[name] = bases.get(name, 0) + len(ids)
        return found

    def each(self, table: str) -> Iterator[tuple[tuple[str, ...], Arrays, Arrays]]:
        """Yield who told rows of a table, those rows as told, and with ids as if nothing came before."""
        having = [teller for teller in self._tellers if table in teller.tables]
        for teller, own in zip(having, self.parts(table, {}), strict=True):
            yield teller.sources, teller.tables[table], own

    def _moments(self, name: str) -> NDArray[np.int64]:
        columns = [
            np.ma.compressed(teller.tables["phases"][name])
            for teller in self._tellers
            if name in teller.tables.get("phases", {}) and not teller.within
        ]
        return np.concatenate(columns) if columns else np.zeros(0, np.int64)

    def _read(self, log: LogContent) -> _Teller:
        pieces: dict[str, list[Arrays]] = {}
        for data in log.pieces:
            try:
                table, columns = read_piece(data)
            except PieceError:
                self.unusable += 1
            else:
                pieces.setdefault(table, []).append(columns)
        tables = {table: _latest(_one_table(table, parts)) for table, parts in pieces.items()}
        notes = log.notes.of(Teller)
        within = any(note.within for note in notes)
        traced = set_aside(tables) if within else ()
        sources = tuple(dict.fromkeys(note.source for note in notes))
        return _Teller(sources, tables, _ids_of(tables), within=within, traced=traced)

    def _settled(self, teller: _Teller, own: Arrays, table: str) -> Arrays:
        """Return rows as they are; those of a teller from within of recorded processes, at their times."""
        if self._hosts is None or "process" not in own or not teller.recorded:
            return own
        found = as_recorded(own, teller.tables[table]["process"], teller.recorded, self._hosts)
        return {name: _believable(name, values) for name, values in found.items()}


def _ids_of(tables: dict[str, Arrays]) -> dict[str, NDArray[np.int64]]:
    having = {table: columns["id"] for table, columns in tables.items() if "id" in columns}
    return {table: np.sort(np.ma.getdata(ids)) for table, ids in having.items()}


def _learn(known: Known, traced: Traced) -> None:
    """Keep what only a trace knows of a process."""
    known.traced = known.traced or traced.facts
    if known.rank is None:
        known.rank, known.world = traced.rank, traced.world


def _one_table(table: str, parts: list[Arrays]) -> Arrays:
    """Return pieces of a table one below the other; a column that a piece lacks is not known there."""
    names = [field.name for field in TABLES[table].fields if any(field.name in part for part in parts)]
    return {name: joined([_or_unknown(name, part, parts) for part in parts]) for name in names}


def _or_unknown(name: str, part: Arrays, parts: list[Arrays]) -> NDArray[np.generic]:
    if name in part:
        return part[name]
    like = next(other[name] for other in parts if name in other)
    rows = len(next(iter(part.values())))
    if like.dtype == object:
        return np.full(rows, None, object)
    return hidden(np.zeros(rows, like.dtype), np.ones(rows, np.bool_))


def _latest(columns: Arrays) -> Arrays:
    """Return the last row of each id, in the order in which ids first came."""
    if "id" not in columns:
        return columns
    ids = np.ma.getdata(columns["id"])
    if (np.diff(np.sort(ids)) > 0).all():
        return columns
    last = {int(identity): row for row, identity in enumerate(ids)}
    rows = np.fromiter(last.values(), np.int64, len(last))
    return {name: values[rows] for name, values in columns.items()}


def _with_own_ids(table: str, teller: _Teller, bases: dict[str, int]) -> Arrays:
    told = teller.tables[table]
    found = {name: _believable(name, values) for name, values in told.items()}
    if "id" in told:
        found["id"] = _numbered(told["id"], table, teller, bases)
    if "parent" in told:
        found["parent"] = _numbered(told["parent"], table, teller, bases)
        if table == "phases":
            found["parent"] = np.ma.filled(found["parent"], 1)  # the run itself
    for name in (told.keys() & _REFERENCES.keys()) - ({"process"} if teller.ours else set()):
        found[name] = _numbered(told[name], _REFERENCES[name], teller, bases)
    if "owner" in told and "scope" in told:
        found["owner"] = _owners(told, teller, bases)
    return found


def _numbered(
    values: NDArray[np.generic], table: str, teller: _Teller, bases: dict[str, int]
) -> NDArray[np.generic]:
    """Return the ids that rows of a table have now; none for a row that is not there."""
    at = places(teller.ids.get(table, np.zeros(0, np.int64)), np.ma.getdata(values))
    unknown = np.ma.getmaskarray(values) | (at < 0)
    return hidden(at + bases.get(table, 0) + 1, unknown)


def _owners(told: Arrays, teller: _Teller, bases: dict[str, int]) -> NDArray[np.generic]:
    owners = hidden(np.zeros(len(told["owner"]), np.int64), np.ones(len(told["owner"]), np.bool_))
    for scope, table in _OWNERS.items():
        chosen = told["scope"] == scope.value
        if chosen.any():
            owners[chosen] = _numbered(told["owner"][chosen], table, teller, bases)
    return owners


def _believable(name: str, values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return moments that can be; others are not known."""
    if name not in _TIMES:
        return values
    wrong = (np.ma.getdata(values) < 0) | (np.ma.getdata(values) > _LATEST_UTC_NS)
    return hidden(np.ma.getdata(values), np.ma.getmaskarray(values) | wrong)
