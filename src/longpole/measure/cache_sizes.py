"""How much memory is free to measure with, and how much of it caches could hide."""

from __future__ import annotations

import os
from pathlib import Path

from longpole.units import Bytes

_CPUS = Path("/sys/devices/system/cpu")
# Of a machine that does not tell: more than most have.
_UNKNOWN = 64 << 20


def last_level_cache(cpus: Path = _CPUS) -> Bytes:
    """Return the size of all last-level caches of the cores we may use together."""
    last: dict[str, tuple[int, Bytes]] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        found = [_cache(folder) for folder in (cpus / f"cpu{cpu}" / "cache").glob("index*")]
        if found:
            level, shared, size = max(found)
            last[f"{level} {shared}"] = (level, size)
    return sum(size for _, size in last.values()) or _UNKNOWN


def free_memory(meminfo: Path = Path("/proc/meminfo"), cgroups: Path = Path("/sys/fs/cgroup")) -> Bytes:
    """Return how many bytes can be had without pushing anybody out."""
    lines = dict(line.split(":", 1) for line in meminfo.read_text().splitlines())
    free = int(lines["MemAvailable"].split()[0]) * 1024
    limits = [
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ]
    for limit, used in limits:
        try:
            free = min(free, int((cgroups / limit).read_text()) - int((cgroups / used).read_text()))
        except (OSError, ValueError):
            continue
    return max(0, free)


def _cache(folder: Path) -> tuple[int, str, Bytes]:
    """Return the level of a cache, who shares it and its size."""
    try:
        size = (folder / "size").read_text().strip()
        level = int((folder / "level").read_text())
        shared = (folder / "shared_cpu_list").read_text().strip()
        return level, shared, int(size.rstrip("KMG")) << {"K": 10, "M": 20, "G": 30}.get(size[-1], 0)
    except (OSError, ValueError, IndexError):
        return 0, "", 0
