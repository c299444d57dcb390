"""Processes that already run and are to be recorded: who each is, and why it cannot be if it cannot."""

from __future__ import annotations

import os

from longpole.errors import AttachError
from longpole.model.text import visible
from longpole.record.discretion import mask_command
from longpole.record.proc import Stat, read_io, read_small

_KERNEL_THREAD = 0x00200000
_LONGEST_COMMAND = 60
_MOST_NAMED = 3


class Target:
    """One process, known by its pid and its start, since pids recur."""

    __slots__ = ("command", "pid", "start_ticks")

    def __init__(self, pid: int, start_ticks: int, command: list[str]) -> None:
        """Take a process that lives, and its command line with no secret in it."""
        self.pid = pid
        self.start_ticks = start_ticks
        self.command = command

    @property
    def folder(self) -> str:
        """Where it is now, or nothing where we may not look."""
        try:
            return os.readlink(f"/proc/{self.pid}/cwd")
        except OSError:
            return ""

    @property
    def environment(self) -> dict[str, str]:
        """The variables it was started with, as far as we may look."""
        words = read_small(f"/proc/{self.pid}/environ").decode("utf-8", "replace").split("\0")
        return {name: value for name, equals, value in (word.partition("=") for word in words) if equals}

    def __str__(self) -> str:
        """Return its pid and what a person would know it by."""
        text = visible(" ".join(self.command))
        return (
            f"{self.pid} ({text if len(text) <= _LONGEST_COMMAND else text[: _LONGEST_COMMAND - 3] + '...'})"
        )


def find_targets(pids: list[int]) -> tuple[Target, ...]:
    """Return the processes of these pids, each once, and parents before the children they started.

    Raises:
        AttachError: One of them is not there, or is nothing that can be recorded.
    """
    found = [_find(pid) for pid in dict.fromkeys(pids)]
    return tuple(sorted(found, key=lambda target: (target.start_ticks, target.pid)))


def announcement(targets: tuple[Target, ...]) -> str:
    """Return what is said when recording begins: who is recorded, until when, and what will be missing."""
    one = len(targets) == 1
    named = ", ".join(map(str, targets[:_MOST_NAMED]))
    more = f" and {len(targets) - _MOST_NAMED:,} more" if len(targets) > _MOST_NAMED else ""
    who = f"process {named}" if one else f"{len(targets):,} processes, {named}{more},"
    closed = sum(read_io(target.pid) is None for target in targets)
    whose = "its bytes" if one else f"bytes of {closed:,} of them"
    missing = f", and {whose} may not be read" if closed else ""
    return (
        f"recording {who} until {'it ends' if one else 'they end'} or Ctrl-C; "
        f"samples only: no exit code, no phases, totals from the samples{missing}"
    )


def _find(pid: int) -> Target:
    line = read_small(f"/proc/{pid}/stat")
    if not line:
        hidden = os.path.exists(f"/proc/{pid}")
        raise AttachError(f"Process {pid} may not be looked at." if hidden else f"There is no process {pid}.")
    stat = Stat(line)
    reason = _objection(pid, stat, line)
    if reason:
        raise AttachError(reason)
    words = read_small(f"/proc/{pid}/cmdline").rstrip(b"\0").decode("utf-8", "replace").split("\0")
    return Target(pid, stat.start_ticks, mask_command(words if words != [""] else [stat.command]))


def _objection(pid: int, stat: Stat, line: bytes) -> str:
    """Return why a process cannot be recorded, as a sentence; nothing if it can."""
    who = f"Process {pid} ({visible(stat.command)})"
    leader = _leader(pid)
    if leader != pid:
        return f"{pid} is a thread of process {leader}. Give that: --pid {leader}."
    if pid == os.getpid():
        return f"{who} is this recorder itself."
    if stat.ended:
        return f"{who} has ended already; only its parent has not taken note of it."
    if int(line[line.rindex(b")") + 2 :].split()[6]) & _KERNEL_THREAD:
        return f"{who} is a thread of the kernel, which has no memory and no bytes of its own."
    return ""


def _leader(pid: int) -> int:
    """Return the process that a number belongs to: /proc shows threads by theirs, too."""
    for line in read_small(f"/proc/{pid}/status").split(b"\n"):
        if line.startswith(b"Tgid:"):
            return int(line.split()[1])
    return pid
