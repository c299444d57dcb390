"""Reading: which data files were read, and how much of each phase's own time was waiting for them.

Method: files that are programs (libraries, Python's own files, system folders) are no data. A phase waits for
I/O as the kernel accounts for it (pressure, ``io some`` and ``io full``, or the cores' waiting for I/O), but
no more than its process left a core idle. A phase that is there to read (kinds ``data``, ``read``, ``load``,
``stage_in``, or marked with such a name) waits as well while all processes of the run together leave a core
idle. What waits for the network is waiting, too. Pressure is of the host: ``some`` is the most and ``full``
the least that one of many processes waits; the mean of both is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case
from longpole.analyse.rules.lost import lost_shares
from longpole.analyse.rules.measured import (
    IO_WAIT,
    Curve,
    Numbers,
    averaged,
    cpu_ns,
    edges_of,
    pressure,
    rows,
    summed,
)
from longpole.analyse.tree import known_rows, numbers

_READING_KINDS = ("data", "read", "load", "stage", "stage_in")
_READING_NAME = re.compile(
    r"(read|load|stage|fetch)(ing)?([\s_-]?(data|in|inputs?|files?|batch|images?))?", re.IGNORECASE
)
_PROGRAM = re.compile(
    r"\.(py|pyc|pyd|so|dll)$|\.so\.|^/(usr|lib|lib64|bin|sbin|etc|proc|sys|dev)/|/site-packages/"
)


@dataclass(frozen=True, slots=True)
class Files:
    """Data files that were read.

    Attributes:
        count: How many there are.
        opens: How often they were opened in all.
        size_bytes: How large they are in all.
        opened_bytes: The same, each as often as it was opened.
    """

    count: int
    opens: int
    size_bytes: int
    opened_bytes: int

    @property
    def mean_bytes(self) -> float:
        """How large a file is that is opened, on average over opens."""
        return self.opened_bytes / self.opens if self.opens else 0.0

    @property
    def repeats(self) -> float:
        """Which share of the bytes opened had been opened before."""
        return 1.0 - self.size_bytes / self.opened_bytes if self.opened_bytes else 0.0


def data_files(case: Case) -> Files:
    """Return the data files that were read and whose size is known."""
    opens = case.opens
    if not opens.rows:
        return Files(0, 0, 0, 0)
    program = np.array([bool(_PROGRAM.search(word)) for word in opens["name"].words or ("",)])
    chosen = known_rows(opens["bytes"]) & ~program[numbers(opens["name"])]
    size, times = numbers(opens["bytes"])[chosen], np.maximum(numbers(opens["times"])[chosen], 1)
    return Files(len(size), int(times.sum()), int(size.sum()), int((size * times).sum()))


def reading_places(case: Case) -> Whole:
    """Return where the phases are that are there to read."""
    tree = case.tree
    names = [at for at, name in enumerate(tree.names) if _READING_NAME.fullmatch(name)]
    named = np.isin(tree.name, names)
    marked = np.zeros(len(tree), np.bool_)
    marked[tree.places_of_kind("phase")] = True
    marked &= named
    marked[tree.places_of_kind(*_READING_KINDS)] = True
    return np.flatnonzero(marked)


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """Which share of each phase's own time was waiting for I/O.

    Attributes:
        likely: As far as can be told.
        most: At most.
        accounted: By the kernel's account alone.
    """

    likely: Numbers
    most: Numbers
    accounted: Numbers


def waiting(case: Case) -> Waiting:
    """Return how much phases waited for I/O; nothing where it was not measured."""
    idle = 1.0 - np.nan_to_num(cpu_ns(case) / np.maximum(case.took_ns, 1), nan=0.0)
    some, full = _stalled(case)
    most = np.minimum(_shares(case, some), np.clip(idle, 0.0, 1.0))
    likely = most if full is None else (most + np.minimum(_shares(case, full), most)) / 2
    quiet, reads = _quiet(case), np.zeros(len(case.tree))
    reads[reading_places(case)] = 1.0
    by_idling = _shares(case, quiet) * reads
    return Waiting(np.maximum(likely, by_idling), np.maximum(most, by_idling), accounted=likely)


def _shares(case: Case, curve: Curve | None) -> Numbers:
    return np.zeros(len(case.tree)) if curve is None else lost_shares(case, curve)


def _stalled(case: Case) -> tuple[Curve | None, Curve | None]:
    """Return the share of time in which some, and all, waited for I/O; nothing where it is not known."""
    some = pressure(case, "io some")
    if some is not None:
        return some, pressure(case, "io full")
    cores = averaged(rows(case, "cpu", IO_WAIT))
    return (None if cores is None else replace(cores, values=np.minimum(cores.values, 1.0))), None


def _quiet(case: Case) -> Curve | None:
    """Return how much of a core the whole run left idle; nothing if its processes were not sampled."""
    used = rows(case, "cpu", "used", scope="process")
    if not len(used) or not len(case.tree):
        return None
    edges = np.union1d(edges_of(used), [case.tree.start_ns[0], case.tree.end_ns[0]])
    curve = summed(used, edges)
    return replace(curve, values=np.clip(1.0 - curve.values, 0.0, 1.0))
