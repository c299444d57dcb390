"""Memory limits of jobs: what a limit promises, and the best way to have one on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longpole.run.memory.cgroup_v1 import find_v1
from longpole.run.memory.cgroup_v2 import find_v2
from longpole.run.memory.watched import Watch
from longpole.units import Bytes, Nanoseconds


class Limit(Protocol):
    """The limit of one job. No method raises, and each may be called at any time."""

    def wrap(self, arguments: Sequence[str]) -> list[str]:
        """Return the command line that executes arguments within the limit."""

    def started(self, pid: int) -> None:
        """Take the process that executes that command line: the first one of the job."""

    def ran_out(self) -> bool:
        """Return whether a process of the job was killed, or had to be killed, for want of memory."""

    def peak_bytes(self) -> Bytes | None:
        """Return the most memory that the job has had, as far as that is known."""

    def close(self) -> None:
        """End the limit, and what still runs in its control group; the answers stay."""


class Limits(Protocol):
    """The limits of all jobs of one driver."""

    @property
    def how(self) -> str:
        """By what means they are held: ``cgroup v2``, ``cgroup v1`` or ``watched``."""

    def create(self, key: str, size_bytes: Bytes) -> Limit:
        """Return a limit for a job that is about to start; a key names one job at a time.

        Raises:
            OSError: A control group cannot be made.
        """

    def look(self, now_ns: Nanoseconds) -> list[str]:
        """Return the keys of jobs that are over their limit and are to be killed. Call it often.

        By control groups there are none, for the kernel kills; what it has left of such a job is killed here.
        """

    def close(self) -> None:
        """End all limits; never raises."""


def find_limits(driver_pid: int) -> Limits:
    """Return the best limits that a driver can have here; what dead drivers have left is removed."""
    return find_v2(driver_pid) or find_v1(driver_pid) or Watch()
