"""Control groups of one driver: a folder named after it, and in it one group for each job.

Method: a process joins the group before it executes the command, so that all it starts is in the group too.
The folder is named by pid and start of the driver; those of drivers that have died are removed when the next
one starts, unless something still runs in them. The memory of a group holds the page cache of its files too:
the kernel gives that up before it kills.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import Protocol

from longpole.record.proc import lives, read_stat
from longpole.run.memory.group_files import PROCESSES, folders, members, remove
from longpole.run.memory.group_files import kill as kill_all
from longpole.units import Bytes, Nanoseconds

_PREFIX = "longpole-"
_JOIN = 'echo $$ > "$0" && exec "$@"'


class Version(Protocol):
    """What differs between the two versions of control groups."""

    how: str

    def open(self, folder: str) -> None:
        """Let groups within a new folder have limits; raises OSError where that fails."""

    def limit(self, group: str, size_bytes: Bytes) -> None:
        """Set the limit of a new group; raises OSError where that fails."""

    def killed(self, group: str) -> int:
        """Return how many processes of a group the kernel has killed for want of memory; never raises."""

    def peak_bytes(self, group: str) -> Bytes | None:
        """Return the most memory a group has had, where the kernel tells; never raises."""


class GroupLimit:
    """The limit of one job, by a control group."""

    def __init__(self, version: Version, group: str) -> None:
        """Take a group that has its limit."""
        self._version, self._group = version, group
        self.closed = self._swept = self._ran_out = False
        self._peak: Bytes | None = None

    def wrap(self, arguments: Sequence[str]) -> list[str]:
        """Return a command line that joins the group, and then is the command."""
        return ["/bin/sh", "-c", _JOIN, os.path.join(self._group, PROCESSES), *arguments]

    def started(self, pid: int) -> None:
        """Do nothing: the process joins by itself."""

    def ran_out(self) -> bool:
        """Return whether the kernel has killed a process of the job for want of memory."""
        if not self.closed:
            self._ran_out = self._version.killed(self._group) > 0
        return self._ran_out

    def peak_bytes(self) -> Bytes | None:
        """Return the most memory that the job has had, its page cache included."""
        if not self.closed:
            self._peak = self._version.peak_bytes(self._group)
        return self._peak

    def kill_rest(self) -> None:
        """Kill the rest of a job of which the kernel has killed a part."""
        if not self._swept and self.ran_out():
            self._swept = True
            kill_all(self._group)

    def close(self) -> None:
        """Kill what is left in the group, and remove it; never raises."""
        if not self.closed:
            self.ran_out()
            self.peak_bytes()
            self.closed = True
            remove(self._group)


class GroupLimits:
    """The limits of all jobs of a driver, by control groups."""

    def __init__(self, version: Version, parent: str, driver_pid: int) -> None:
        """Make groups below a parent; what dead drivers have left there is removed."""
        _remove_orphans(parent)
        self._version = version
        self._folder = os.path.join(parent, _name_of(driver_pid))
        self._limits: dict[str, GroupLimit] = {}
        self._created = 0

    @property
    def how(self) -> str:
        """By which version of control groups."""
        return self._version.how

    def create(self, key: str, size_bytes: Bytes) -> GroupLimit:
        """Make a group with a limit.

        Raises:
            OSError: It cannot be made.
        """
        self._created += 1
        if not os.path.isdir(self._folder):
            os.mkdir(self._folder)
            self._version.open(self._folder)
        group = os.path.join(self._folder, str(self._created))
        os.mkdir(group)
        try:
            self._version.limit(group, size_bytes)
        except OSError:
            remove(group)
            raise
        self._limits[key] = GroupLimit(self._version, group)
        return self._limits[key]

    def look(self, now_ns: Nanoseconds) -> list[str]:  # noqa: ARG002  the kernel watches all the time
        """Kill the rest of jobs of which the kernel has killed a part; return nothing."""
        self._limits = {key: limit for key, limit in self._limits.items() if not limit.closed}
        for limit in self._limits.values():
            limit.kill_rest()
        return []

    def close(self) -> None:
        """End all limits, and remove the folder; never raises."""
        for limit in self._limits.values():
            limit.close()
        self._limits.clear()
        remove(self._folder)


def works(version: Version, parent: str, driver_pid: int) -> bool:
    """Return whether limits can be had below a parent: by having one: to write is not to join."""
    folder = os.path.join(parent, f"{_name_of(driver_pid)}-try")
    group = os.path.join(folder, "1")
    try:
        os.mkdir(folder)
        version.open(folder)
        os.mkdir(group)
        version.limit(group, 1 << 30)
        joining = GroupLimit(version, group).wrap(["true"])
        return subprocess.run(joining, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        remove(folder)


def _name_of(driver_pid: int) -> str:
    stat = read_stat(driver_pid)
    return f"{_PREFIX}{driver_pid}-{stat.start_ticks if stat else 0}"


def _remove_orphans(parent: str) -> None:
    """Remove what drivers left that have died; where a job of one still runs, it keeps its limit."""
    for folder in folders(parent):
        pid, _, ticks = os.path.basename(folder).removeprefix(_PREFIX).removesuffix("-try").partition("-")
        ours = os.path.basename(folder).startswith(_PREFIX) and pid.isdigit() and ticks.isdigit()
        if ours and not lives(int(pid), int(ticks)) and not members(folder):
            remove(folder)
