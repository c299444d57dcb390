"""One line of Slurm's accounting: a job, or a step of one, in our units."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_NS = 1_000_000_000
_LATEST_S = 1 << 32  # in the year 2106
# What Slurm says of a job without nodes: its start, if it has one, is when it was cancelled.
NO_NODES = "None assigned"
# What is beyond stays one task: nobody waits for so many, and a file may say anything.
_MOST_ELEMENTS = 10_000
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?")


@dataclass(frozen=True, slots=True)
class Entry:
    """A job, or one of its steps; None and empty texts are what is not known.

    Attributes:
        job: ``123``, or ``123_4`` for an element of an array.
        step: ``batch``, ``extern`` or a number; empty for the job itself.
        state: Slurm's word for how it ended, without what follows it.
        submit_line: The command line it was submitted with.
        never_eligible: Slurm says that there was no moment from which it could have started.
    """

    job: str
    step: str = ""
    name: str = ""
    state: str = ""
    exit_code: int | None = None
    signal: int | None = None
    submit_ns: int | None = None
    eligible_ns: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    cpu_user_ns: int | None = None
    cpu_system_ns: int | None = None
    peak_bytes: int | None = None
    nodes: str = ""
    node_count: int | None = None
    tasks: int | None = None
    cpus: int | None = None
    memory: str = ""
    partition: str = ""
    folder: str = ""
    submit_line: str = ""
    never_eligible: bool = False


def moment_ns(seconds: float) -> int | None:
    """Return a moment in our unit; none for 0, which is what has not happened, and for what cannot be."""
    return round(seconds * _NS) if 0 < seconds < _LATEST_S else None


def elements_of(entry: Entry) -> list[Entry]:
    """Return an entry for each element of an array that Slurm, while they wait, keeps as one.

    Examples:
        >>> [one.job for one in elements_of(Entry("7_[1-3,8%2]"))]
        ['7_1', '7_2', '7_3', '7_8']
        >>> [one.job for one in elements_of(Entry("7_[0x2A]"))]
        ['7_1', '7_3', '7_5']
    """
    array, found, listed = entry.job.partition("_[")
    if not found:
        return [entry]
    listed = listed.rstrip("]").partition("%")[0]
    numbers = _bits(listed) if listed.startswith("0x") else _ranges(listed)
    few = 0 < len(numbers) <= _MOST_ELEMENTS
    return [replace(entry, job=f"{array}_{number}") for number in numbers] if few else [entry]


def _ranges(listed: str) -> list[int]:
    numbers: list[int] = []
    for part in listed.split(","):
        found = _RANGE.fullmatch(part)
        if found is None or len(numbers) > _MOST_ELEMENTS:
            return []
        first, last, step = found.groups()
        numbers += range(int(first), int(last or first) + 1, int(step or 1) or 1)[: _MOST_ELEMENTS + 1]
    return numbers


def _bits(listed: str) -> list[int]:
    try:
        bits = int(listed[: _MOST_ELEMENTS // 4], 16)
    except ValueError:
        return []
    return [at for at in range(bits.bit_length()) if bits >> at & 1]
