"""Rings of a run: who wrote each, and in which phase of which other ring that process was forked.

A ring is known by its tag, since it may be continued in a second log after the agent was killed. Slots of a
ring whose note is lost belong to a ring of their own, of no known process.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from longpole.log.slots import HELLO_TEXT, TEXT
from longpole.store.derive import notes
from longpole.store.derive.arrays import LATEST_NS, Whole, places
from longpole.store.derive.content import LogContent, Slots
from longpole.store.derive.texts import Texts

_LAUNCHER = "launcher"
_MEMBER = "member"
_SESSION = "session"
# A rank, or how many there are.
Rank = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
Moment = Annotated[int, msgspec.Meta(ge=0, lt=LATEST_NS)]


class SlurmJob(msgspec.Struct, frozen=True):
    """The Slurm job that a command belongs to, as its environment tells."""

    job: str
    array_job: str = ""
    array_index: Rank | None = None
    name: str = ""
    nodes: str = ""
    node: str = ""
    restarts: Rank = 0
    step: str = ""
    cluster: str = ""


class Hello(msgspec.Struct, frozen=True):
    """What a process, or the launcher of a command that joined a run, says of itself."""

    role: str = ""
    rank: Rank | None = None
    world: Rank | None = None
    name: str = ""
    command: str = ""
    pid: Rank = 0
    began: Moment = 0
    task: str = ""
    slurm: SlurmJob | None = None


class Ring:
    """One ring; ``number`` is its process in log ``log``, 0 for a launcher of the run, None if lost."""

    __slots__ = ("hello", "log", "number", "others", "parent_phase", "parent_tag")

    def __init__(self, log: int, note: notes.Ring | None) -> None:
        """Take what the note says."""
        self.log = log
        self.number = note.number if note else None
        self.parent_tag = note.parent_tag if note else "0"
        self.parent_phase = note.parent_phase if note else 0
        self.others: list[tuple[int, int]] = []
        self.hello = Hello()

    @property
    def knows_ends(self) -> bool:
        """Whether its writer may say what the command has used: its launcher, or a program itself."""
        return not self.number or self.hello.role == _SESSION

    @property
    def of_member(self) -> bool:
        """Whether a command that joined the run was launched by its writer."""
        return self.number == 0 and self.hello.role == _MEMBER

    @property
    def of_joined_launcher(self) -> bool:
        """Whether a nested ``record`` wrote it: its process is a part of the recorder."""
        return bool(self.number) and self.hello.role == _LAUNCHER


class Rings:
    """All rings of a run by their index, and their texts."""

    def __init__(self, logs: list[LogContent]) -> None:
        """Read the notes and texts of all logs."""
        self.all: list[Ring] = []
        self.texts = Texts()
        self._by_tag: dict[str, int] = {}
        self._by_source: list[dict[int, int]] = []
        for at, log in enumerate(logs):
            self._by_source.append({})
            self._take_notes(at, log)
        for at, log in enumerate(logs):
            slots, rings = self.pop(log.rings, TEXT, at)
            self.texts.take(slots, rings)
        for index, ring in enumerate(self.all):
            ring.hello = _hello(self.texts.get(index, HELLO_TEXT, "{}"))

    def pop(self, slots: Slots, kind: int, log: int) -> tuple[NDArray[np.void], Whole]:
        """Return slots of one kind with the index of the ring each is from, and let them go."""
        records, sources = slots.pop(kind)
        for source in np.unique(sources).tolist():
            self.index(log, source)
        return records, self._indices(log, sources)

    def index(self, log: int, source: int) -> int:
        """Return the index of the ring a log calls by this number."""
        known = self._by_source[log]
        if source not in known:
            known[source] = len(self.all)
            self.all.append(Ring(log, None))
        return known[source]

    def parent_of(self, ring: Ring) -> int | None:
        """Return the index of the ring a ring's process was forked from."""
        return self._by_tag.get(ring.parent_tag) if ring.parent_phase else None

    def _take_notes(self, log: int, content: LogContent) -> None:
        for note in content.notes.of(notes.Ring):
            index = self._by_tag.get(note.tag)
            if index is None:
                index = self._by_tag[note.tag] = len(self.all)
                self.all.append(Ring(log, note))
            self._by_source[log][note.source] = index
            self.all[index].others.append((log, note.number))

    def _indices(self, log: int, sources: NDArray[Any]) -> Whole:
        known = sorted(self._by_source[log].items())
        numbers = np.array([source for source, _ in known], np.uint32)
        indices = np.array([index for _, index in known], np.int64)
        return indices[places(numbers, sources)] if len(sources) else np.zeros(0, np.int64)


def _hello(text: str) -> Hello:
    try:
        return msgspec.json.decode(text, type=Hello)
    except (msgspec.MsgspecError, RecursionError):
        return Hello()
