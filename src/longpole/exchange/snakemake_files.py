"""How Snakemake writes of files: remarks on their names, and the table of a ``benchmark:`` file."""

from __future__ import annotations

import re
from typing import Protocol

from longpole.exchange.rows import Row, total
from longpole.model.execution import Metric

_LABEL = r"pipe|service|cached|nodelocal|update|before update|access: [^(),]*"
_STORAGE = r"in storage|send to storage|retrieve from storage|only provide storage uri"
_REMARK = re.compile(rf" \((?:(?:{_LABEL})(?:, (?:{_STORAGE}))?|{_STORAGE})\)$")
# Columns of a benchmark file, what they are here, and in which unit.
_MEASURED = {
    "cpu_time": (Metric.CPU_USER, 1e9),
    "max_rss": (Metric.PEAK_MEMORY, float(1 << 20)),
    "io_in": (Metric.STORAGE_READ, float(1 << 20)),
    "io_out": (Metric.STORAGE_WRITTEN, float(1 << 20)),
}


class Files(Protocol):
    """What is known of files; nothing of those that are not there."""

    def size_of(self, name: str) -> int | None:
        """Return how many bytes a file has."""

    def changed_ns(self, name: str) -> int | None:
        """Return when a file was last written."""

    def read(self, name: str) -> str:
        """Return the text of a file."""


def names(files: object) -> list[str]:
    """Return the names in a list of files, without what Snakemake remarks on them."""
    return [_REMARK.sub("", str(name)) for name in files] if isinstance(files, list | tuple) else []


def measured(text: str, phase: int) -> list[Row]:
    """Return what a benchmark file says of a phase, its repeats summed but for memory."""
    lines = [line.split("\t") for line in text.splitlines()]
    if len(lines) < 2:
        return []
    rows = []
    for name, (metric, unit) in _MEASURED.items():
        if name in lines[0]:
            values = [_number(line[lines[0].index(name)]) for line in lines[1:] if len(line) == len(lines[0])]
            known = [value * unit for value in values if value is not None]
            if known:
                rows.append(total(phase, metric, max(known) if metric is Metric.PEAK_MEMORY else sum(known)))
    return rows


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None  # NA, or - where it could not be measured
    return value if 0 <= value < 1e15 else None
