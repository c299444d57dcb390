"""Memory limits by control groups of version 2, where a part of the tree is delegated to us.

A group with processes in it cannot share memory out among groups below it, so ours are made beside the
driver's: below the nearest group above it that shares out memory and lets us in. We never go above a group
that has a limit itself: that would be to leave it. The kernel kills all of a job that has run out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from longpole.run.memory.group_files import (
    find_hierarchy,
    group_of,
    read_count,
    read_number,
    read_text,
    set_file,
    write,
)
from longpole.run.memory.groups import GroupLimits, works
from longpole.units import Bytes

_SHARED_OUT = "cgroup.subtree_control"


class V2:
    """Version 2."""

    how = "cgroup v2"

    def open(self, folder: str) -> None:
        """Share out memory among the groups in a folder."""
        set_file(os.path.join(folder, _SHARED_OUT), "+memory")

    def limit(self, group: str, size_bytes: Bytes) -> None:
        """Limit memory, allow no swap, and let all of the group be killed at once."""
        set_file(os.path.join(group, "memory.max"), str(size_bytes))
        write(os.path.join(group, "memory.swap.max"), "0")
        write(os.path.join(group, "memory.oom.group"), "1")

    def killed(self, group: str) -> int:
        """Return how many processes were killed."""
        return read_count(os.path.join(group, "memory.events"), "oom_kill")

    def peak_bytes(self, group: str) -> Bytes | None:
        """Return the most memory the group has had; kernels before 5.19 do not tell."""
        return read_number(os.path.join(group, "memory.peak"))


def find_v2(driver_pid: int) -> GroupLimits | None:
    """Return limits beside the driver's own group, if it may have them."""
    tree = find_hierarchy("cgroup2")
    if tree is None:
        return None
    version = V2()
    for parent in _parents(tree.folder(group_of(driver_pid)), tree.mounted):
        if works(version, parent, driver_pid):
            return GroupLimits(version, parent, driver_pid)
    return None


def _parents(folder: str, top: str) -> Iterator[str]:
    """Give the groups that share out memory, from a folder upwards, up to the first that has a limit."""
    while True:
        if "memory" in read_text(os.path.join(folder, _SHARED_OUT)).split():
            yield folder
        limited = read_text(os.path.join(folder, "memory.max")).strip() not in ("", "max")
        if folder == top or limited:
            return
        folder = os.path.dirname(folder)
