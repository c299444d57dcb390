"""What each task of a run used: CPU time, bytes and GPU time.

Method: totals of all its processes, or of the task itself where somebody told them; the larger where exit
records have all processes, for who told may have missed some (a container's are not its children). Of
marks: what their process and those below it used while they went on, by samples that add up to the totals of
their processes; marks side by side in one process share equally. Bytes that processes wrote may not have
reached a disk when the run ended: all are scaled down alike to what the disks have moved. GPU and network use
is of whole devices and hosts, shared among the tasks that went on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, numbers, sums, whole
from longpole.analyse.lives import Lives, lives_of
from longpole.analyse.process_samples import CORES, READ, WRITTEN, Counter
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units
from longpole.analyse.sharing_out import shared_out
from longpole.model.execution import Metric

_TOTALS = {"cpu_ns": 1e9, "read": 1.0, "written": 1.0, "storage_read": 1.0, "storage_written": 1.0}
_COUNTERS = {
    "cpu_ns": CORES,
    "read": Counter("io", "read", (Metric.READ,)),
    "written": Counter("io", "written", (Metric.WRITTEN,)),
    "storage_read": READ,
    "storage_written": WRITTEN,
}
# Hosts must have been sampled for so much of the run to tell what disks moved.
_SAMPLED = 0.5
# A network that moved less, in bytes per second, is left out.
_LEAST_NETWORK = 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Amounts:
    """What each task used; NaN where it is not known.

    Attributes:
        cpu_s: Core seconds, of starting too.
        read: Bytes read by system calls.
        written: Bytes written by system calls.
        storage_read: Bytes that came from a disk or file server.
        storage_written: Bytes that went there.
        gpu_s: GPU seconds.
        network: Bytes over the network.
        remote: Share of the storage that is no disk of this host: read, written.
        scaled: By how much bytes of disks were scaled down: read, written.
    """

    cpu_s: Numbers
    read: Numbers
    written: Numbers
    storage_read: Numbers
    storage_written: Numbers
    gpu_s: Numbers
    network: Numbers
    remote: tuple[float, float] = (0.0, 0.0)
    scaled: tuple[float, float] = (1.0, 1.0)


def amounts_of(run: RunTables, units: Units) -> Amounts:
    """Return what tasks used."""
    if units.unit is Unit.MARK:
        found = {name: _of_marks(run, units, counter) for name, counter in _COUNTERS.items()}
    else:
        found = {name: _of_units(run, units, name, scale) for name, scale in _TOTALS.items()}
    amounts = Amounts(
        cpu_s=found["cpu_ns"],
        read=found["read"],
        written=found["written"],
        storage_read=found["storage_read"],
        storage_written=found["storage_written"],
        gpu_s=_gpu_s(run, units),
        network=_network(run, units),
    )
    return _within_disks(run, amounts)


def _of_units(run: RunTables, units: Units, name: str, scale: float) -> Numbers:
    owner = np.array([units.owners.get(one, -1) for one in whole(run.processes["id"]).tolist()], np.int64)
    value = numbers(run.processes[name]) / scale
    some = (owner >= 0) & np.isfinite(value)
    total = sums(owner[some], value[some], len(units))
    seen = sums(owner[some], np.ones(int(some.sum())), len(units)) > 0
    found = np.where(seen, total, np.nan)
    if units.unit is Unit.COMMAND:
        return np.fmax(found, run.whole.get(name, np.nan) / scale)
    if units.unit is not Unit.TASK:
        return _with_unseen(found, run.whole.get(name, np.nan) / scale - float(np.nansum(value)))
    told = numbers(run.tasks[name])[units.rows] / scale
    return np.fmax(told, found) if run.all_seen else np.where(np.isfinite(told), told, found)


def _with_unseen(found: Numbers, unseen: float) -> Numbers:
    """Return what tasks used; those of which nothing is known share what no process is known for.

    Nought is not known: so short a process ends between two ticks.
    """
    missing = np.isnan(found) | (found == 0)
    if not missing.any() or not unseen > 0:
        return found
    return np.where(missing, unseen / missing.sum(), found)


def _of_marks(run: RunTables, units: Units, counter: Counter) -> Numbers:
    """Return what marks used: for each marked process, of it and those below it, by time."""
    found = np.full(len(units), np.nan)
    if run.used is None:
        return found
    table = run.processes
    end = np.where(np.isfinite(numbers(table["end_ns"])), whole(table["end_ns"]), run.span[1])
    lives = lives_of(whole(table["id"]), whole(table["start_ns"]), end)
    process, start, stop, rate = _on_the_clock(run, counter, lives)
    group = np.array([units.owners.get(one, 0) for one in process.tolist()], np.int64)
    of_mark = whole(run.marks["process"])[units.rows]
    for one in np.unique(of_mark).tolist():
        mine, its = group == one, of_mark == one
        used = start[mine], stop[mine], rate[mine]
        found[its] = shared_out(used, units.start_ns[its], units.end_ns[its])
    return found


def _on_the_clock(run: RunTables, counter: Counter, lives: Lives) -> tuple[Whole, Whole, Whole, Numbers]:
    """Return samples of processes with whose they are, on real time."""
    assert run.used is not None
    laid = run.used.of(counter, lives)
    start, end, rate = whole(laid["start_ns"]), whole(laid["end_ns"]), numbers(laid["value"])
    some = rate > 0
    start, end, rate = start[some], end[some], rate[some]
    place = np.maximum(np.searchsorted(lives.at, start, "right") - 1, 0)
    began = lives.clock(start)
    return lives.process[place], began, began + (end - start), rate


def _gpu_s(run: RunTables, units: Units) -> Numbers:
    if run.gpu_s is not None and len(units) == 1:
        return np.array([run.gpu_s])
    if not run.gpus.rows or not units.timed.all():
        return np.full(len(units), np.nan)
    used = whole(run.gpus["start_ns"]), whole(run.gpus["end_ns"]), np.nan_to_num(numbers(run.gpus["value"]))
    return shared_out(used, units.start_ns, units.end_ns)


def _network(run: RunTables, units: Units) -> Numbers:
    moved, took_s = run.moved.network, units.took_s
    if moved <= _LEAST_NETWORK * max(run.run_s, 1e-9) or not np.nansum(took_s) > 0:
        return np.full(len(units), np.nan)
    return moved * took_s / np.nansum(took_s)


def _within_disks(run: RunTables, amounts: Amounts) -> Amounts:
    """Return amounts of which all storage together is no more than what disks and file servers moved."""
    moved, covered = run.moved, run.moved.covered_s / run.run_s if run.run_s else 0.0
    found, remote, scaled = [], [], []
    for own, disk, nfs in (
        (amounts.storage_read, moved.read, moved.nfs_read),
        (amounts.storage_written, moved.written, moved.nfs_written),
    ):
        total = float(np.nansum(own))
        away = 0.0
        if total:
            away = 1.0 if covered > 0 and not moved.disks else min(1.0, nfs / total)
        most = disk + nfs + total * max(0.0, 1.0 - covered)
        scale = min(1.0, most / total) if total and covered >= _SAMPLED and moved.disks else 1.0
        found.append(own * scale)
        remote.append(away)
        scaled.append(scale)
    return replace(
        amounts,
        storage_read=found[0],
        storage_written=found[1],
        remote=(remote[0], remote[1]),
        scaled=(scaled[0], scaled[1]),
    )
