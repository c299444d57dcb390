"""Traces of PyTorch's profiler, one for each rank, put together to a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from longpole.exchange.kineto_events import LAUNCHED, WITHOUT_PLACE, kind_of
from longpole.exchange.kineto_phases import KinetoPhases, attributes_of
from longpole.exchange.kineto_processes import host_of, processes_of, rank_of
from longpole.exchange.trace_events import FIRST_UTC_NS, NO_TIME_OF_DAY, Scalar
from longpole.exchange.traced import Intervals, TracedProcess, tables_of
from longpole.model.columns import Columns

_MOMENTS = ("i", "I", "R", "C")
_NAMED = 8

# The host, pid and rank of a process; where neither tells it apart, its file.
Key = tuple[str, Scalar, int | None, str]


class KinetoRun:
    """What several traces tell, while they come together."""

    def __init__(self) -> None:
        """Start with none."""
        self._processes: dict[Key, TracedProcess] = {}
        self._parts: list[Intervals] = []
        self._stepless = self._gpuless = self._rankless = 0
        self._launched = self._unlaunched = self._moments = self._pairs = 0
        self._unknown: Counter[str] = Counter()

    def add(self, phases: KinetoPhases) -> None:
        """Take one trace."""
        numbers = self._numbers(phases)
        self._parts.append(
            Intervals(
                kinds=phases.kinds,
                names=[str(event.name) for event in phases.events],
                processes=np.array([numbers[pid] for pid in phases.pids], np.int64),
                lanes=phases.lanes,
                devices=phases.devices,
                starts=phases.starts,
                ends=phases.ends,
                nested=~phases.on_device,
                attributes=attributes_of(phases.events),
                launches=phases.launches,
            )
        )
        self._count(phases)

    def tables(self) -> dict[str, Columns]:
        """Return the rows of all."""
        return tables_of(list(self._processes.values()), self._parts)

    def gaps(self) -> Iterator[str]:
        """Yield a sentence for each thing that is missing."""
        if self._stepless:
            yield f"{self._who(self._stepless)} no ProfilerStep: nothing tells where a step begins."
        if self._gpuless:
            yield f"{self._who(self._gpuless)} no event of a GPU."
        if self._rankless and len(self._parts) > 1:
            yield f"{self._who(self._rankless)} no rank, neither inside nor in the name of its file."
        if self._unlaunched:
            yield f"GPU phases without a launch in the trace: {self._unlaunched:,} of {self._launched:,}."
        if self._unknown:
            names = ", ".join(name for name, _ in self._unknown.most_common(_NAMED))
            many = self._unknown.total()
            yield f"Events of categories that are not known were left out: {many:,} of {names}."
        if self._moments:
            yield f"Moments and counters were left out, for they have no length: {self._moments:,}."
        if self._pairs:
            yield f"Links from forward to backward operators were left out: {self._pairs:,}."
        if any(int(part.starts.min()) < FIRST_UTC_NS for part in self._parts):
            yield NO_TIME_OF_DAY

    def _who(self, many: int) -> str:
        return "The trace has" if len(self._parts) == 1 else f"{many:,} of {len(self._parts):,} traces have"

    def _numbers(self, phases: KinetoPhases) -> dict[Scalar, int]:
        """Return the number of each process of a trace; one that another trace told of keeps its own."""
        (rank, _), host = rank_of(phases), host_of(phases)
        apart = "" if host or rank is not None else phases.name
        found = processes_of(phases)
        for pid, process in found.items():
            self._processes.setdefault((host, pid, rank, apart), process)
        places = {key: number for number, key in enumerate(self._processes, start=1)}
        return {pid: places[host, pid, rank, apart] for pid in found}

    def _count(self, phases: KinetoPhases) -> None:
        self._stepless += "step" not in phases.kinds
        launched = sum(kind in LAUNCHED for kind in phases.kinds)
        self._gpuless += not launched
        self._rankless += rank_of(phases)[0] is None
        self._launched += launched
        self._unlaunched += launched - len(phases.launches)
        for (ph, category), many in Counter((event.ph, event.cat) for event in phases.trace.events).items():
            if ph in _MOMENTS:
                self._moments += many
            elif ph == "s" and category == "fwdbwd":
                self._pairs += many
            elif ph == "X" and not kind_of(category, "") and str(category).lower() not in WITHOUT_PLACE:
                self._unknown[str(category)] += many
