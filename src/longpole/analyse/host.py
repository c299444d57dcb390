"""What the host did while a run was recorded, and how much of it was neither the run nor its recorder.

Method: a mean is the sum of each sample times its length, over the length that was sampled. Busy is user and
system time of all cores; waiting for I/O is idle, and time stolen by other guests is not this host's. Others
is what remains of busy after the CPU time of the run and of its recorder, each over the makespan; errors of
both can leave it below zero, which counts as zero. Bytes of network and disk are everybody's.
"""

from __future__ import annotations

from dataclasses import dataclass

from longpole.analyse.values import Row, number, plus
from longpole.model.columns import Columns
from longpole.model.overview import HostUse


@dataclass(frozen=True, slots=True)
class OwnUse:
    """Cores the run and its recorder kept busy on average; None where not known."""

    run_cores: float | None
    recorder_cores: float


def host_use(samples: Columns, own: OwnUse) -> HostUse | None:
    """Return what the hosts did, or nothing if they were not sampled.

    Args:
        samples: Columns ``kind``, ``metric``, ``unit``, ``capacity``, ``amount`` (value times seconds,
            summed) and ``covered_s``, one row per resource of each host.
        own: What is not others'.
    """
    rows = list(samples.records())
    if not rows:
        return None
    busy, capacity = _busy_cores(rows), _capacity(rows)
    others = None
    if busy is not None and own.run_cores is not None:
        others = max(0.0, busy - own.run_cores - own.recorder_cores)
    return HostUse(
        cpu_busy_percent=_percent(busy, capacity),
        others_cpu_percent=_percent(others, capacity),
        network_rx_bytes=_moved(rows, "network", "received"),
        network_tx_bytes=_moved(rows, "network", "sent"),
        disk_read_bytes=_moved(rows, "disk", "read"),
        disk_written_bytes=_moved(rows, "disk", "written"),
    )


def stolen_percent(samples: Columns) -> float:
    """Return the share of the hosts' cores that other guests of the same machine took."""
    rows = list(samples.records())
    stolen = plus([_mean(row) for row in rows if (row["kind"], row["metric"]) == ("cpu", "stolen")])
    return _percent(stolen, _capacity(rows)) or 0.0


def _busy_cores(rows: list[Row]) -> float | None:
    return plus([_mean(row) for row in rows if row["kind"] == "cpu" and row["metric"] in ("user", "system")])


def _capacity(rows: list[Row]) -> float:
    """Return the cores of all hosts: each has one resource of user time."""
    cores = [number(row["capacity"]) for row in rows if (row["kind"], row["metric"]) == ("cpu", "user")]
    return plus(cores) or 0.0


def _mean(row: Row) -> float | None:
    amount, covered = number(row["amount"]), number(row["covered_s"])
    return amount / covered if amount is not None and covered else None


def _moved(rows: list[Row], kind: str, metric: str) -> int:
    """Return bytes moved; idle devices leave no samples, so a host without any has moved none."""
    wanted = (kind, metric, "bytes/s")
    amounts = [number(row["amount"]) for row in rows if (row["kind"], row["metric"], row["unit"]) == wanted]
    return round(plus(amounts) or 0.0)


def _percent(part: float | None, whole: float) -> float | None:
    return None if part is None or not whole else min(100.0, 100 * part / whole)
