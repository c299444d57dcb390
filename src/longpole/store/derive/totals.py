"""Totals: what the run, and each of its processes, has used in all.

The run: each end the launcher saw carries all descendants reaped below it, so the sum over these ends is
exact for the tree. What nested launchers used themselves is taken off. Children of a parent that ignores
SIGCHLD are in no such sum; the kernel's exit records have them, so a total is never below the sum of those.
While the run goes on, or if its launcher was killed: CPU time is the sum over all processes as last sampled;
bytes are the ends seen so far and the living processes, whose counters hold their reaped children already.
Of processes that were attached to: the sum over all as last sampled, or what their counters with all they
had reaped have grown by since, if that is more; both leave out what was before.

A process: its exit record, exact but for bytes of calls, which come rounded down to 1 KiB for each thread
(its CPU time is the scheduler's; ticks tell how much of it was the system's); else the sum of its samples,
whose bytes hold reaped children too and so have no bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.model.execution import Metric, Scope, Source
from longpole.store.derive.arrays import Arrays, floats, integers, texts
from longpole.store.derive.exits import Exits
from longpole.store.derive.known import Known
from longpole.store.derive.processes import Processes

_CPU = (Metric.CPU_USER, Metric.CPU_SYSTEM)
_CALLS = (Metric.READ, Metric.WRITTEN)
_BYTES = (*_CALLS, Metric.STORAGE_READ, Metric.STORAGE_WRITTEN)
_SAMPLED = ("user_us", "system_us", "read", "written", "storage_read", "storage_written")
_NS_PER_US = 1000
_ROUNDED_DOWN = 1024
_KIB = 1024

_Amounts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Total:
    """One row of ``totals``; bounds that are not known are None."""

    scope: Scope
    owner: int | None
    metric: Metric
    value: float
    source: Source
    low: float | None
    high: float | None


def total_table(
    processes: Processes, exits: Exits, sampled: Arrays, attached: _Amounts | None = None
) -> Arrays:
    """Return the rows of ``totals``.

    Args:
        processes: All of the run.
        exits: What its launcher saw.
        sampled: Sums of samples by process id.
        attached: What processes that already ran have used since; None if a command was recorded.
    """
    of_run = (
        _of_run(processes, exits, sampled) if attached is None else _of_attached(processes, sampled, attached)
    )
    rows = list(of_run)
    for known in processes.all:
        rows += _exact(known) if known.exit else _sampled(known, sampled)
        for metric, took in ((Metric.START_UP, known.start_up_ns), (Metric.IMPORT, known.import_ns)):
            if took is not None:
                rows.append(Total(Scope.PROCESS, known.id, metric, float(took), Source.SAMPLED, None, None))
    return {
        "scope": texts([row.scope.value for row in rows]),
        "owner": integers([row.owner for row in rows]),
        "metric": texts([row.metric.value for row in rows]),
        "value": floats([row.value for row in rows]),
        "source": texts([row.source.value for row in rows]),
        "low": floats([row.low for row in rows]),
        "high": floats([row.high for row in rows]),
    }


def _of_run(processes: Processes, exits: Exits, sampled: Arrays) -> Iterator[Total]:
    recorded = [known.exit.used for known in processes.all if known.exit]
    exit_records = np.array(recorded, np.float64).reshape(-1, 6).sum(axis=0)
    if exits.finish is None:
        yield from _of_run_so_far(processes, exits, sampled, exit_records)
        return
    tree = np.concatenate((exits.cpu_us, exits.bytes))
    tree[:4] = np.maximum(0, tree[:4] - exits.joined_used)
    cpu = tree[:2] if tree[:2].sum() >= exit_records[:2].sum() else exit_records[:2]
    moved = np.maximum(tree[2:], exit_records[2:])
    complete = not exits.still_living
    yield from _run_rows(_CPU, cpu * _NS_PER_US, complete=complete)
    yield from _run_rows(_BYTES, moved, complete=complete and exits.bytes_known)


def _of_attached(processes: Processes, sampled: Arrays, counted: _Amounts) -> Iterator[Total]:
    summed = np.array([sampled[name][1:].sum() for name in _SAMPLED])
    cpu = max(counted[:2], summed[:2], key=np.sum)
    yield from _run_rows(_CPU, cpu * _NS_PER_US, complete=False)
    if any(known.bytes_known for known in processes.all):
        yield from _run_rows(_BYTES, np.maximum(counted[2:], summed[2:]), complete=False)


def _of_run_so_far(
    processes: Processes, exits: Exits, sampled: Arrays, exit_records: _Amounts
) -> Iterator[Total]:
    if not processes.all and not exits.ends:
        return
    own = np.array([_cpu_of(known, sampled) for known in processes.all], np.float64).reshape(-1, 2)
    cpu = np.maximum(own.sum(axis=0), exits.cpu_us)
    living = [known.id for known in processes.all if known.end_ns is None]
    moved = exits.bytes + np.array([sampled[name][living].sum() for name in _SAMPLED[2:]])
    yield from _run_rows(_CPU, cpu * _NS_PER_US, complete=False)
    yield from _run_rows(_BYTES, np.maximum(moved, exit_records[2:]), complete=False)


def _run_rows(metrics: tuple[Metric, ...], values: _Amounts, *, complete: bool) -> Iterator[Total]:
    source = Source.EXACT if complete else Source.SAMPLED
    for metric, value in zip(metrics, values.tolist(), strict=True):
        yield Total(Scope.RUN, None, metric, value, source, value, value if complete else None)


def _exact(known: Known) -> Iterator[Total]:
    assert known.exit is not None
    by_ticks_ns = _NS_PER_US * sum(known.exit.used[:2])
    scale = known.exit.ran_ns / by_ticks_ns if known.exit.ran_ns and by_ticks_ns else 1.0
    for metric, used in zip((*_CPU, *_BYTES), known.exit.used, strict=True):
        value = used * _NS_PER_US * scale if metric in _CPU else float(used)
        high = value + _ROUNDED_DOWN if metric in _CALLS else value
        yield Total(Scope.PROCESS, known.id, metric, value, Source.EXACT, value, high)
    if known.exit.ran_ns:
        waited = float(known.exit.waited_ns)
        yield Total(Scope.PROCESS, known.id, Metric.CPU_WAIT, waited, Source.EXACT, waited, waited)
    if known.exit.peak_kib:
        peak = float(known.exit.peak_kib * _KIB)
        yield Total(Scope.PROCESS, known.id, Metric.PEAK_MEMORY, peak, Source.EXACT, peak, peak)


def _sampled(known: Known, sampled: Arrays) -> Iterator[Total]:
    if not sampled["readings"][known.id]:
        return
    for metric, name in zip((*_CPU, *_BYTES), _SAMPLED, strict=True):
        if metric in _BYTES and not known.bytes_known:
            continue
        value = float(sampled[name][known.id]) * (_NS_PER_US if metric in _CPU else 1)
        low = value if metric in _CPU else None
        yield Total(Scope.PROCESS, known.id, metric, value, Source.SAMPLED, low, None)
    peak = float(sampled["resident_kib"][known.id]) * _KIB
    yield Total(Scope.PROCESS, known.id, Metric.PEAK_MEMORY, peak, Source.SAMPLED, peak, None)


def _cpu_of(known: Known, sampled: Arrays) -> tuple[float, float]:
    if known.exit:
        return float(known.exit.used[0]), float(known.exit.used[1])
    return float(sampled["user_us"][known.id]), float(sampled["system_us"][known.id])
