"""Lines of a Nextflow trace: which columns there are, and what each line says in our units.

Where ``start`` is missing, execution is taken to be the last ``realtime`` of the time from submission to
completion. A moment that contradicts another (an end before a begin) is not known. A value that cannot be
understood is not known and counted; a column in which none can is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from longpole.exchange.nextflow_cells import Moments, duration, percent, size, whole
from longpole.exchange.sentences import count_of, quoted
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.execution import Metric

Value = TypeVar("Value")
STATUSES = ("NEW", "SUBMITTED", "RUNNING", "COMPLETED", "FAILED", "ABORTED", "CACHED")
_ENOUGH = frozenset(("task_id", "hash", "native_id", "name", "process", "status"))
_NAMES = ("name", "process", "task_id", "hash")
_UNKNOWN = frozenset(("", "-", "null", "N/A"))
_USED = {
    "peak_rss": Metric.PEAK_MEMORY,
    "rchar": Metric.READ,
    "wchar": Metric.WRITTEN,
    "read_bytes": Metric.STORAGE_READ,
    "write_bytes": Metric.STORAGE_WRITTEN,
}
_FACTS = ("status", "hash", "native_id", "queue", "hostname", "container", "workdir", "error_action")


@dataclass(frozen=True, slots=True)
class Times:
    """When a try was submitted, began and ended; None where it is not known.

    Attributes:
        guessed: The begin follows from how long it ran.
        contradict: One was left out, since it cannot be true together with the others.
    """

    submit_ns: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    guessed: bool = False
    contradict: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a try of a task.

    Attributes:
        type: The process, in Nextflow's sense.
        status: Nextflow's word for how it ended; empty if the file has none.
        facts: What else is known of it.
        needs: What it was declared to need.
    """

    name: str
    type: str
    status: str
    times: Times
    attempt: int | None = None
    exit_code: int | None = None
    realtime_ns: int | None = None
    used: tuple[tuple[Metric, float], ...] = ()
    facts: dict[str, object] = field(default_factory=dict)
    needs: dict[str, object] = field(default_factory=dict)


def columns_of(start: str) -> list[str]:
    """Return the columns of a trace that begins so; none if it is no trace."""
    columns = [name.strip() for name in start.lstrip("\ufeff").partition("\n")[0].split("\t")]
    return columns if len(_ENOUGH.intersection(columns)) >= 2 and set(_NAMES).intersection(columns) else []


def entries_of(text: str, file: str, moments: Moments) -> tuple[list[Entry], list[str]]:
    """Return what the lines say, and sentences on what could not be understood.

    Raises:
        UnreadableFileError: It is no trace, has no task, or nothing in one of its columns can be understood.
    """
    columns = columns_of(text)
    if not columns:
        raise UnreadableFileError(
            f"{file} is no trace of Nextflow: its first line does not name task_id, hash, name or status."
        )
    reader = _Reader(columns, moments)
    entries, odd = [], []
    for number, line in enumerate(text.split("\n")[1:], start=2):
        cells = line.rstrip("\r").split("\t")
        if len(cells) == len(columns):
            entries.append(reader.entry(number, cells))
        elif line.strip():
            odd.append(f"line {number} has {count_of(len(cells), 'cell')} and not {len(columns):,}")
    if not entries:
        why = odd[0] if odd else "there is no line below its first, which names the columns"
        raise UnreadableFileError(f"{file} is a trace of Nextflow without any task: {why}.")
    return entries, [*_odd(odd, file), *_unended(text, file), *reader.doubts(file)]


def settled(
    submit_ns: int | None, start_ns: int | None, end_ns: int | None, took_ns: int | None, ran_ns: int | None
) -> Times:
    """Return moments completed by durations: from submission to end, and of the execution.

    Examples:
        >>> settled(100, None, None, 50, 20)
        Times(submit_ns=100, start_ns=130, end_ns=150, guessed=True, contradict=False)
    """
    if end_ns is None:
        end_ns = _later(submit_ns, took_ns) or _later(start_ns, ran_ns)
    if submit_ns is None and end_ns is not None and took_ns is not None:
        submit_ns = end_ns - took_ns
    ends_early = end_ns is not None and end_ns < max(submit_ns or 0, start_ns or 0)
    starts_early = start_ns is not None and start_ns < (submit_ns or 0)
    end_ns, start_ns = None if ends_early else end_ns, None if starts_early else start_ns
    guessed = start_ns is None and end_ns is not None and ran_ns is not None
    if guessed:
        start_ns = max((end_ns or 0) - (ran_ns or 0), submit_ns or 0)
    return Times(submit_ns, start_ns, end_ns, guessed, ends_early or starts_early)


def _later(moment_ns: int | None, by_ns: int | None) -> int | None:
    return None if moment_ns is None or by_ns is None else moment_ns + by_ns


@dataclass(slots=True)
class _Doubt:
    """How much of a column was understood, and the first that was not."""

    understood: int = 0
    not_understood: int = 0
    line: int = 0
    text: str = ""


class _Reader:
    """Reads line after line, and keeps count of what it does not understand."""

    def __init__(self, columns: list[str], moments: Moments) -> None:
        self._columns = columns
        self._moments = moments
        self._doubts: dict[str, _Doubt] = {}
        self._cells: dict[str, str] = {}
        self._line = 0

    def entry(self, line: int, cells: list[str]) -> Entry:
        """Return what a line says."""
        texts = (cell.strip() for cell in cells)
        self._cells = {
            name: text for name, text in zip(self._columns, texts, strict=True) if text not in _UNKNOWN
        }
        self._line = line
        name = self._name()
        realtime = self._value("realtime", duration)
        return Entry(
            name=name,
            type=self._cells.get("process") or name.partition(" (")[0],
            status=self._value("status", _status) or "",
            times=self._times(realtime),
            attempt=self._value("attempt", whole),
            exit_code=self._value("exit", whole),
            realtime_ns=realtime,
            used=tuple(self._used(realtime)),
            facts={fact: self._cells[fact] for fact in _FACTS if fact in self._cells},
            needs=self._needs(),
        )

    def doubts(self, file: str) -> Iterator[str]:
        """Yield a sentence for each column that was not understood as a whole.

        Raises:
            UnreadableFileError: Nothing in one was understood.
        """
        for column, doubt in self._doubts.items():
            if doubt.not_understood and not doubt.understood:
                raise UnreadableFileError(
                    f"Nothing in the column '{column}' of {file} can be understood, as {quoted(doubt.text)} "
                    f"in line {doubt.line}."
                )
            if doubt.not_understood:
                yield (
                    f"{count_of(doubt.not_understood, 'value')} of the column '{column}' of {file} could not "
                    f"be understood, the first is {quoted(doubt.text)} in line {doubt.line}."
                )

    def _value(self, column: str, understand: Callable[[str], Value | None]) -> Value | None:
        if column not in self._cells:
            return None
        doubt = self._doubts.setdefault(column, _Doubt())
        value = understand(self._cells[column])
        if value is not None:
            doubt.understood += 1
            return value
        if not doubt.not_understood:
            doubt.line, doubt.text = self._line, self._cells[column]
        doubt.not_understood += 1
        return None

    def _name(self) -> str:
        cells = self._cells
        if "name" in cells:
            return cells["name"]
        tag = f" ({cells['tag']})" if "tag" in cells else ""
        return next((cells[name] + tag for name in _NAMES if name in cells), "?")

    def _times(self, ran_ns: int | None) -> Times:
        submit, start, end = (
            self._value(column, self._moments.moment) for column in ("submit", "start", "complete")
        )
        return settled(submit, start, end, self._value("duration", duration), ran_ns)

    def _used(self, realtime_ns: int | None) -> Iterator[tuple[Metric, float]]:
        busy = self._value("%cpu", percent)
        if busy is not None and realtime_ns is not None:
            yield Metric.CPU_USER, busy / 100 * realtime_ns
        for column, metric in _USED.items():
            value = self._value(column, size)
            if value is not None:
                yield metric, value

    def _needs(self) -> dict[str, object]:
        limit_ns = self._value("time", duration)
        known: dict[str, object] = {
            "cpus": self._value("cpus", whole),
            "memory_bytes": self._value("memory", size),
            "disk_bytes": self._value("disk", size),
            "time_s": None if limit_ns is None else limit_ns / 1e9,
        }
        return {name: value for name, value in known.items() if value is not None}


def _status(text: str) -> str | None:
    return text if text in STATUSES else None


def _odd(odd: list[str], file: str) -> list[str]:
    lines = count_of(len(odd), "line")
    return [f"{lines} of {file} could not be understood, the first: {odd[0]}."] if odd else []


def _unended(text: str, file: str) -> list[str]:
    """Return a sentence on a text that may have been cut off: the last of its values may be half of it."""
    return [] if text.endswith("\n") else [f"The last line of {file} does not end: it may be cut off."]
