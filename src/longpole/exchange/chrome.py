"""Any trace in Chrome's event format: what lasted becomes phases, by process and thread.

Form: ``{"traceEvents": [...]}`` or the bare list, which need not be closed. What becomes of it: a phase for
each complete event (X), each begin with its end (B and E) and each asynchronous one (b and e). Its kind is
its first category, or ``phase``; its arguments are its attributes. Phases of a thread are nested as their
times are, the asynchronous ones lie in their process. Processes and threads are called as metadata says (M).
Moments, counters, flows and all else are left out, and said. ``ts`` is taken to count from 1970.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from longpole.exchange.chrome_pairs import ChromeEvent, ends_of
from longpole.exchange.trace_events import (
    FIRST_UTC_NS,
    LATEST_NS,
    NO_TIME_OF_DAY,
    Lanes,
    Scalar,
    Whole,
    decoded,
    label,
    pid_of,
    times_of,
)
from longpole.exchange.traced import UNKNOWN, Intervals, TracedProcess, tables_of
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.columns import Columns
from longpole.model.execution import CONTAINERS, JOB_KINDS
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

TELLER = "a Chrome trace"
_BEGINS, _ENDS, _ASYNCHRONOUS = ("X", "B", "b"), ("E", "e"), "b"
_EVENT = re.compile(rb'"ph"\s*:\s*"[A-Za-z]"')
_PLACE = re.compile(rb'"ts"\s*:')
_LIST = re.compile(rb'"traceEvents"\s*:')
_ENDING = re.compile(r"(?:\.trace)?(?:\.json)?(?:\.gz)?$")
_LONGEST = 4096


class ChromeTrace(msgspec.Struct, rename={"events": "traceEvents"}):
    """A whole file."""

    events: list[ChromeEvent]


class _Name(msgspec.Struct):
    name: Scalar = None


_DECODER: msgspec.json.Decoder[ChromeTrace | list[ChromeEvent]] = msgspec.json.Decoder(
    ChromeTrace | list[ChromeEvent]
)
_NAMES = msgspec.json.Decoder(_Name)


class ChromeImporter:
    """Reads traces in Chrome's event format; see ``model.ports.Importer``."""

    name = "chrome"
    title = "a trace in Chrome's event format"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether this holds events as Chrome writes them."""
        head = file.head
        if head.lstrip()[:1] not in (b"{", b"["):
            return False
        listed, placed = _LIST.search(head) is not None, _PLACE.search(head) is not None
        return listed or (placed and _EVENT.search(head) is not None)

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run of all processes in these files; processes of different files are different."""
        run = _ChromeRun()
        for file in files:
            run.add(file)
        own = _ENDING.sub("", os.path.basename(files[0].name)) if len(files) == 1 else ""
        return Told(TELLER, wishes.name or own or "chrome", run.tables(), tuple(run.gaps()))


CHROME = ChromeImporter()


class _ChromeRun:
    """What several traces tell, while they come together."""

    def __init__(self) -> None:
        self._processes: list[TracedProcess] = []
        self._parts: list[Intervals] = []
        self._left_out: Counter[str] = Counter()
        self._stray = self._long = 0

    def add(self, file: ForeignFile) -> None:
        found = decoded(file, _DECODER)
        every = found.events if isinstance(found, ChromeTrace) else found
        timed = [event for event in every if event.ph in _BEGINS + _ENDS]
        events, starts, ends = self._lasting(file.name, timed)
        numbers = self._numbers(events, every)
        lanes = Lanes()
        self._parts.append(
            Intervals(
                kinds=[_kind(event.cat) for event in events],
                names=[str(event.name) for event in events],
                processes=np.array([numbers[label(event.pid)] for event in events], np.int64),
                lanes=np.array([lanes.number(event.tid) for event in events], np.int64),
                devices=np.full(len(events), UNKNOWN, np.int64),
                starts=starts,
                ends=ends,
                nested=np.array([event.ph != _ASYNCHRONOUS for event in events], np.bool_),
                attributes=[self._attributes(event) for event in events],
                launches=np.zeros((0, 2), np.int64),
            )
        )
        self._left_out.update(
            event.ph or "none" for event in every if event.ph not in (*_BEGINS, *_ENDS, "M")
        )

    def tables(self) -> dict[str, Columns]:
        return tables_of(self._processes, self._parts)

    def gaps(self) -> Iterator[str]:
        if self._left_out:
            sorts = ", ".join(f"{many:,} {sort}" for sort, many in self._left_out.most_common())
            yield f"Events that do not last were left out, by their ph: {sorts}."
        if self._stray:
            yield f"Ends without a begin were left out: {self._stray:,}."
        unended = sum(int((part.ends == UNKNOWN).sum()) for part in self._parts)
        if unended:
            yield f"Phases without an end in the trace: {unended:,}."
        if self._long:
            yield f"Arguments of more than {_LONGEST:,} letters were left out: {self._long:,}."
        if any(int(part.starts.min()) < FIRST_UTC_NS for part in self._parts):
            yield NO_TIME_OF_DAY

    def _lasting(self, name: str, timed: list[ChromeEvent]) -> tuple[list[ChromeEvent], Whole, Whole]:
        """Return what lasted, when it began and when it ended."""
        moments = times_of(name, timed, "ts")
        ends, stray = ends_of(timed, moments)
        rows = [
            row
            for row, event in enumerate(timed)
            if event.ph == "X" and bytes(event.dur) not in (b"", b"null")
        ]
        ends[rows] = moments[rows] + times_of(name, [timed[row] for row in rows], "dur")
        begins = [row for row, event in enumerate(timed) if event.ph in _BEGINS]
        if not begins:
            raise UnreadableFileError(f"{name} holds no event that lasted: none is of ph X, B or b.")
        if stray and (ends[begins] == UNKNOWN).all():
            raise UnreadableFileError(f"{name} holds no event that lasted: no end has a ts after its begin.")
        self._stray += stray
        starts, ends = moments[begins], ends[begins]
        if max(starts.max(), ends.max()) > LATEST_NS:
            raise UnreadableFileError(f"{name} cannot be read: an event has a ts and dur that cannot be.")
        return [timed[row] for row in begins], starts, ends

    def _numbers(self, events: Sequence[ChromeEvent], every: Sequence[ChromeEvent]) -> dict[Scalar, int]:
        """Add the processes of a trace, and return the number of each."""
        called, threads = _names(every, "process_name"), _names(every, "thread_name")
        numbers: dict[Scalar, int] = {}
        for pid in dict.fromkeys(label(event.pid) for event in events):
            name = next(iter(called.get(pid, {}).values()), str(pid or "process"))
            own = {str(thread): name for thread, name in threads.get(pid, {}).items()}
            facts = msgspec.json.encode({"threads": own}).decode() if own else None
            self._processes.append(TracedProcess(name=name, pid=pid_of(pid), attributes=facts))
            numbers[pid] = len(self._processes)
        return numbers

    def _attributes(self, event: ChromeEvent) -> str | None:
        text = bytes(event.args)
        if text[:1] != b"{" or text[1:-1].isspace() or text == b"{}":
            return None
        if len(text) > _LONGEST:
            self._long += 1
            return None
        return text.decode("utf-8", "replace")


def _kind(category: Scalar) -> str:
    """Return the first category, unless it is one of our words for something else.

    Examples:
        >>> _kind("blink,v8"), _kind(None), _kind("process")
        ('blink', 'phase', 'phase')
    """
    first = category.split(",")[0].strip() if isinstance(category, str) else ""
    return first if first and first not in CONTAINERS + JOB_KINDS else "phase"


def _names(events: Sequence[ChromeEvent], of: str) -> dict[Scalar, dict[Scalar, str]]:
    """Return how processes or threads are called, by pid and thread."""
    found: dict[Scalar, dict[Scalar, str]] = {}
    for event in events:
        if event.ph == "M" and event.name == of:
            try:
                name = _NAMES.decode(bytes(event.args)).name
            except msgspec.DecodeError:
                continue
            found.setdefault(label(event.pid), {})[event.tid] = str(name)
    return found
