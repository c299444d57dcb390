"""How the devices of each rank spent their time: idle, computing, or busy with something else.

Method: what runs on devices are kernels, copies and settings of memory. A kernel whose name contains "nccl"
communicates, any other computes. The whole goes from the first of them to the last, with all streams and
devices of a process together. Compute is the union of those that compute, idle the whole without the union of
all, and non-compute the rest. Overlap is the share of the union of communication in which something computes.

The last profiler step is dropped, for the trace may end before its work does: kept is what was launched
before the last step began. So what has no launch in the trace is dropped as well. With fewer than two steps
all is kept.

Exact to the nanosecond. Rounded as Holistic Trace Analysis does it, times are floats of microseconds, as they
stand in the file; then a start goes up and an end down to whole ones. So the figures can be compared with
that tool's, and idle time is too large.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.marks import Marks, Whole, by_process, holding, in_order, numbers, of_kind
from longpole.analyse.unions import union
from longpole.analyse.values import whole
from longpole.model.columns import Columns
from longpole.model.device_time import DeviceTime, LastStep, Rounding

_COMMUNICATION = "nccl"
_MICRO = 1000
_FEWEST_STEPS = 2
_NEVER = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Steps, and what ran on devices."""

    starts: Whole
    ends: Whole
    launches: Whole
    steps: Marks
    works: Marks
    computes: Marks
    talks: Marks

    def at(self, rows: Whole | Marks) -> _Rows:
        return _Rows(*(getattr(self, field.name)[rows] for field in fields(self)))


def device_times(
    phases: Columns,
    processes: Columns,
    *,
    rounding: Rounding = Rounding.EXACT,
    last_step: LastStep = LastStep.DROPPED,
) -> tuple[DeviceTime, ...]:
    """Return how the devices of each rank spent their time, by rank; a rank without any is left out.

    Args:
        phases: Columns ``kind``, ``name``, ``process``, ``start_ns``, ``end_ns`` and ``launch_ns``, when the
            call that launched it began: kernels, copies and settings of memory, and the steps.
        processes: Columns ``id``, ``rank`` and ``base_ns``, what times in its file count from.
        rounding: To what times are rounded.
        last_step: Whether what the last profiler step has launched counts.
    """
    ranks = {whole(row["id"]): whole(row["rank"]) for row in processes.records()}
    bases = {whole(row["id"]): whole(row["base_ns"]) or 0 for row in processes.records()}
    every = _rows_of(phases)
    kept = {owner: _kept(every.at(rows), last_step) for owner, rows in by_process(phases)}
    having = [owner for owner, rows in kept.items() if len(rows.starts)]
    if rounding is Rounding.HTA:
        kept = {owner: _as_hta(rows, bases.get(owner, 0)) for owner, rows in kept.items()}
    return tuple(_spent(ranks.get(owner), kept[owner]) for owner in in_order(having, ranks))


def _rows_of(phases: Columns) -> _Rows:
    kernels = of_kind(phases, "kernel")
    talks = kernels & holding(phases["name"], lambda name: _COMMUNICATION in name)
    return _Rows(
        starts=numbers(phases["start_ns"]),
        ends=numbers(phases["end_ns"]),
        launches=numbers(phases["launch_ns"], unknown=_NEVER),
        steps=of_kind(phases, "step"),
        works=of_kind(phases, "kernel", "memcpy", "memset"),
        computes=kernels & ~talks,
        talks=talks,
    )


def _kept(own: _Rows, last_step: LastStep) -> _Rows:
    """Return the work on devices that counts."""
    steps = own.starts[own.steps]
    if last_step is LastStep.KEPT or len(steps) < _FEWEST_STEPS:
        return own.at(own.works)
    return own.at(own.works & (own.launches < steps.max()))


def _as_hta(work: _Rows, base_ns: int) -> _Rows:
    """Return work with the times that Holistic Trace Analysis gives it."""
    starts, lengths = _micros(work.starts - base_ns), _micros(work.ends - work.starts)
    return replace(
        work,
        starts=np.ceil(starts).astype(np.int64) * _MICRO,
        ends=np.floor(starts + lengths).astype(np.int64) * _MICRO,
    )


def _micros(ns: Whole) -> NDArray[np.float64]:
    """Return the floats that are nearest to these times; one division of large numbers would miss them."""
    micros, rest = np.divmod(ns, _MICRO)
    found: NDArray[np.float64] = micros + rest / _MICRO
    return found


def _spent(rank: int | None, work: _Rows) -> DeviceTime:
    starts, ends = work.starts, work.ends
    length, busy = int(ends.max() - starts.min()), union(starts, ends).length
    compute, talk, either = (
        union(starts[which], ends[which]).length
        for which in (work.computes, work.talks, work.computes | work.talks)
    )
    return DeviceTime(
        rank=rank,
        idle_us=(length - busy) / _MICRO,
        compute_us=compute / _MICRO,
        non_compute_us=(busy - compute) / _MICRO,
        span_us=length / _MICRO,
        overlap_percent=100 * (talk + compute - either) / talk if talk > 0 else None,
    )
