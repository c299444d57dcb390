"""Cores: how many this process may use, and which share of them others hold.

By affinity (``taskset``, Slurm, cpusets) and by the CPU quota of control groups, version 1 and 2. What
others hold comes from the ticks in ``/proc/stat`` of the cores we may use, with what a hypervisor takes away
("steal"), less what we and our children that have ended used.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_IDLE, _IOWAIT, _STEAL = 3, 4, 7


def allowed_cores(cgroups: Path = _CGROUPS, own: Path = Path("/proc/self/cgroup")) -> float:
    """Return how many cores this process may use; a quota can allow a part of one."""
    cores = float(len(os.sched_getaffinity(0)))
    return min([cores, *_quotas(cgroups, own)])


def workers() -> int:
    """Return how many threads or processes keep all allowed cores busy."""
    return max(1, math.ceil(allowed_cores()))


@dataclass(frozen=True, slots=True)
class Ticks:
    """Core seconds so far, on the cores we may use: all busy ones, and our own."""

    busy_s: float
    own_s: float
    cores: int

    def others_s(self, later: Ticks) -> float:
        """Return how many core seconds others had between this moment and a later one.

        Ticks are coarse: of a short time it may be some hundredths off, and even below zero.

        Examples:
            >>> Ticks(10.0, 1.0, 2).others_s(Ticks(12.0, 2.0, 2))
            1.0
        """
        return (later.busy_s - self.busy_s) - (later.own_s - self.own_s)


def ticks(stat: Path = Path("/proc/stat")) -> Ticks:
    """Return the ticks up to now; nobody else is seen where they cannot be read."""
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    mine = os.sched_getaffinity(0)
    try:
        lines = [line.split() for line in stat.read_text().splitlines() if line.startswith("cpu")]
    except OSError:
        lines = []
    busy = sum(_busy(cells[1:]) for cells in lines if cells[0][3:].isdigit() and int(cells[0][3:]) in mine)
    return Ticks(busy / os.sysconf("SC_CLK_TCK") or own, own, len(mine))


def _busy(cells: list[str]) -> int:
    counts = [int(cell) for cell in cells[: _STEAL + 1]]  # guests are in the user's time already
    return sum(counts) - counts[_IDLE] - counts[_IOWAIT]


def _quotas(cgroups: Path, own: Path) -> list[float]:
    """Return the quotas in cores of our control group and all above it."""
    found = []
    for root, path in _groups(cgroups, own):
        folders = [root / path, *(root / path).parents]
        for folder in folders[: len(path.parts) + 1]:
            found += _quota(folder)
    return found


def _groups(cgroups: Path, own: Path) -> list[tuple[Path, Path]]:
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return []
    groups = []
    for _, controllers, path in lines:
        relative = Path(path.lstrip("/"))
        if not controllers:
            groups.append((cgroups, relative))
        elif "cpu" in controllers.split(","):
            groups += [(cgroups / "cpu", relative), (cgroups / "cpu,cpuacct", relative)]
    return groups


def _quota(folder: Path) -> list[float]:
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text().strip()
            period = (folder / "cpu.cfs_period_us").read_text().strip()
        return [int(quota) / int(period)] if quota not in {"max", "-1"} else []
    except (OSError, ValueError):
        return []
