"""What the log files of a run hold: notes, and slots by kind. Damage is counted, and the rest is kept."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from longpole.errors import DamagedRunError, UnreadableLogError
from longpole.log.files import DRIVER, read_logs
from longpole.log.frames import FRAME_RECORDS, FRAME_VERSION, NOTES, PIECE, SLOTS, Frame, Tally
from longpole.log.slots import SLOT_BYTES
from longpole.model.manifest import State
from longpole.store.derive.note import Note
from longpole.store.derive.notes import Clock, Notes, Teller
from longpole.store.derive.records import Records, none_of, split
from longpole.store.derive.workflow_notes import WORKFLOW_NOTES

AGENT = 0
_OF_DRIVERS: tuple[type[Note], ...] = WORKFLOW_NOTES
# Slots are taken out of a log in blocks of this many bytes, so that few are in memory twice.
_BLOCK_BYTES = 4 << 20


class Slots:
    """Slots by kind, each with the number of the source that wrote it."""

    def __init__(self) -> None:
        """Start with none."""
        self._pieces: dict[int, list[tuple[Records, NDArray[np.uint32]]]] = {}
        self._waiting: list[memoryview] = []
        self._origins: list[tuple[int, int]] = []
        self._bytes = 0

    def take(self, frame: Frame) -> None:
        """Add the slots of one frame."""
        count = len(frame.payload) // SLOT_BYTES
        self._waiting.append(frame.payload[: count * SLOT_BYTES])
        self._origins.append((frame.source, count))
        self._bytes += count * SLOT_BYTES
        if self._bytes >= _BLOCK_BYTES:
            self.settle()

    def settle(self) -> None:
        """Take what is waiting out of the log's memory."""
        if not self._waiting:
            return
        sources, counts = np.array(self._origins, np.int64).T
        origin = np.repeat(sources.astype(np.uint32), counts)
        for kind, (found, chosen) in split(b"".join(self._waiting)).items():
            self._pieces.setdefault(kind, []).append((found, origin[chosen]))
        self._waiting, self._origins, self._bytes = [], [], 0

    def pop(self, kind: int) -> tuple[Records, NDArray[np.uint32]]:
        """Return all slots of one kind and their sources, and keep them no longer."""
        pieces = self._pieces.pop(kind, [])
        if not pieces:
            return none_of(kind), np.zeros(0, np.uint32)
        if len(pieces) == 1:
            return pieces[0]
        records, sources = zip(*pieces, strict=True)
        return np.concatenate(records), np.concatenate(sources)


class LogContent:
    """One log; a file may hold several."""

    def __init__(self, name: str) -> None:
        """Start with nothing read; the name is ``<node>-<random>``."""
        self.name = name
        self.notes = Notes()
        self.agent = Slots()
        self.rings = Slots()
        self.pieces: list[bytes] = []
        self.of_later_version = 0

    @property
    def node(self) -> str:
        """The node that wrote it, as the name of the file tells."""
        node, driver, _ = self.name.rpartition(DRIVER)
        return node if driver else self.name.rpartition("-")[0]

    @property
    def of_driver(self) -> bool:
        """Whether the driver of a workflow wrote it, and no agent."""
        return any(self.notes.of(kind) for kind in _OF_DRIVERS)

    @property
    def told(self) -> bool:
        """Whether this is what another system told, and not what an agent saw."""
        return bool(self.notes.of(Teller))

    def begin(self) -> tuple[int, str]:
        """Return what puts logs in order: the first time it speaks of, on UTC, then its name."""
        return min((clock.at + clock.offset for clock in self.notes.of(Clock)), default=0), self.name

    def take(self, frame: Frame) -> None:
        """Add one intact frame."""
        if frame.version > FRAME_VERSION or frame.kind not in (NOTES, SLOTS, PIECE):
            self.of_later_version += frame.count
        elif frame.kind == PIECE:
            self.pieces.append(bytes(frame.payload))
        elif frame.kind == NOTES:
            for line in bytes(frame.payload).split(b"\n"):
                self.notes.take(line)
        else:
            (self.agent if frame.source == AGENT else self.rings).take(frame)


class Content:
    """All log files of a run, how many records are readable, and what is wrong with the rest.

    Attributes:
        logs: What agents saw, and what drivers of workflows did, in the order in which they began.
        told: What other systems told.
    """

    def __init__(self) -> None:
        """Start with nothing read."""
        self.logs: list[LogContent] = []
        self.told: list[LogContent] = []
        self.readable = 0
        self.expected = 0
        self.problems: list[str] = []
        self.errors: list[DamagedRunError] = []

    def add(self, log: LogContent, tally: Tally, most_cut: int) -> None:
        """Add one file that could be read, at least in part; so many records may be missing without harm."""
        (self.told if log.told else self.logs).append(log)
        whole = tally.expected - tally.readable <= most_cut
        self.readable += tally.readable
        self.expected += tally.readable if whole else tally.expected
        unusable = log.notes.unusable
        if unusable:
            self.problems.append(f"{counted(unusable, 'note')} of log/{log.name} could not be understood.")
        if log.of_later_version:
            told = counted(log.of_later_version, "record")
            self.problems.append(
                f"{told} of log/{log.name} are of a later version of Longpole and were left out."
            )
        if not whole or (tally.skipped_bytes and not most_cut):
            lost = f"{tally.readable:,} of {tally.expected:,} records readable"
            self.problems.append(
                f"log/{log.name} is damaged: {lost}, {counted(tally.skipped_bytes, 'byte')} skipped."
            )


def read_content(folder: str | os.PathLike[str], state: State) -> Content:
    """Return what the log files in a folder hold; never fails for what is in them.

    The last frame of a log that is being written may be there in part; that is no damage.
    """
    content = Content()
    try:
        if os.path.islink(folder):
            raise NotADirectoryError
        names = sorted(os.listdir(folder))
    except OSError as error:
        reason = error.strerror or "it is not a folder"
        content.errors.append(
            DamagedRunError(f"Cannot read the log of this run, {os.fspath(folder)}: {reason}.")
        )
        content.problems.append(str(content.errors[0]))
        return content
    for name in names:
        _read_file(content, os.path.join(folder, name), FRAME_RECORDS if state is State.RUNNING else 0)
    content.logs.sort(key=LogContent.begin)
    return content


def _read_file(content: Content, path: str, most_cut: int) -> None:
    try:
        for frames, tally in read_logs(path):
            log = LogContent(os.path.basename(path))
            for frame in frames:
                log.take(frame)
            log.agent.settle()
            log.rings.settle()
            content.add(log, tally, most_cut)
    except (DamagedRunError, OSError) as error:
        damage = (
            error if isinstance(error, DamagedRunError) else UnreadableLogError(path, str(error.strerror))
        )
        content.errors.append(damage)
        content.problems.append(str(damage))


def counted(number: int, what: str) -> str:
    """Return a number of things in words.

    Examples:
        >>> counted(1, "note"), counted(1204, "record"), counted(2, "process")
        ('1 note', '1,204 records', '2 processes')
    """
    ending = "" if number == 1 else "es" if what.endswith("s") else "s"
    return f"{number:,} {what}{ending}"
