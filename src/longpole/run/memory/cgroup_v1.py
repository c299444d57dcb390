"""Memory limits by control groups of version 1: the controller ``memory`` has a tree of its own.

The kernel kills one process when a group has run out; the rest is killed when we look. Swap is limited with
memory where the kernel counts it.
"""

from __future__ import annotations

import os

from longpole.run.memory.group_files import (
    find_hierarchy,
    group_of,
    read_count,
    read_number,
    set_file,
    write,
)
from longpole.run.memory.groups import GroupLimits, works
from longpole.units import Bytes


class V1:
    """Version 1."""

    how = "cgroup v1"

    def open(self, folder: str) -> None:
        """Count what is in groups below with those above; newer kernels always do."""
        write(os.path.join(folder, "memory.use_hierarchy"), "1")

    def limit(self, group: str, size_bytes: Bytes) -> None:
        """Limit memory, and memory with swap together."""
        set_file(os.path.join(group, "memory.limit_in_bytes"), str(size_bytes))
        write(os.path.join(group, "memory.memsw.limit_in_bytes"), str(size_bytes))

    def killed(self, group: str) -> int:
        """Return how many processes were killed: having met the limit often is no sign of that."""
        return read_count(os.path.join(group, "memory.oom_control"), "oom_kill")

    def peak_bytes(self, group: str) -> Bytes | None:
        """Return the most memory the group has had."""
        return read_number(os.path.join(group, "memory.max_usage_in_bytes"))


def find_v1(driver_pid: int) -> GroupLimits | None:
    """Return limits within the driver's own group, if it may have them."""
    tree = find_hierarchy("cgroup", "memory")
    if tree is None:
        return None
    version, parent = V1(), tree.folder(group_of(driver_pid, "memory"))
    return GroupLimits(version, parent, driver_pid) if works(version, parent, driver_pid) else None
