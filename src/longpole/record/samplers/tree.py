"""Which processes belong to the command: numbers of ours for pids that come and go.

A process belongs if its parent does, or if it is a child of a launcher, to which orphans fall. Pids recur, so
a process is a pid and its start; a number is never given twice. A run that several commands make together has
several launchers, which come and go.
"""

from __future__ import annotations

import os
from time import monotonic_ns

from longpole.record.client.ring import pid_namespace
from longpole.record.discretion import command_text
from longpole.record.proc import ENDED, Stat, inner_pid, pipe_of, read_small, read_stat, start_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.journal import Journal

# What the kernel shows for the image of a process that has ended, or that we may not look into.
_NO_IMAGE = b"0"
_PYTHONS = ("python", "pypy")
# How long a launcher that has ended is known as one.
_FORMER_NS = 5_000_000_000


class Member:
    """One living process of the command."""

    __slots__ = ("command", "image", "number", "parent", "pid", "start_ticks", "threads")

    def __init__(self, number: int, pid: int, stat: Stat) -> None:
        """Take what its status line says."""
        self.number = number
        self.pid = pid
        self.parent = stat.parent
        self.command = stat.command
        self.image = stat.image
        self.start_ticks = stat.start_ticks
        self.threads = stat.threads

    def became(self, stat: Stat) -> bool:
        """Return whether it has become another program, or taken another name, by its status line."""
        executed = stat.image not in (self.image, _NO_IMAGE)
        return executed or stat.command != self.command


class Tree:
    """The living processes of the command by pid."""

    def __init__(self, journal: Journal, launcher: int, agent: int, starter: int = 0) -> None:
        """Everything below ``launcher`` belongs, but for the agent and what started it."""
        self._journal = journal
        self._next_number = 1
        # How often a living process was taken in: others look again when it has changed.
        self.admitted = 0
        self._launchers = {launcher} if launcher else set()
        # Launchers that have ended, and when: what is told of their children may come later.
        self._former: dict[int, int] = {}
        self._joint = not launcher
        # Processes that are a part of the recorder. What started the agent ends at once, and its pid recurs.
        self.recorders = {agent, launcher, starter}
        self._starter = starter
        self._made_ns = monotonic_ns()
        self.members: dict[int, Member] = {}
        # Numbers of processes that have ended lately, by pid, and when: others may still speak of them.
        self.recent: dict[int, tuple[int, int]] = {}
        # Those among them whose exit record has not come yet.
        self._unrecorded: dict[int, int] = {}
        # Numbers of processes that ran as somebody else, who may not write into our rings.
        self.other_users: set[int] = set()
        self._user = os.getuid()
        self._namespace = pid_namespace()

    def add_launcher(self, pid: int) -> None:
        """Take one more launcher: everything below it belongs."""
        self._launchers.add(pid)
        self.recorders.add(pid)
        self.admitted += 1

    def drop_launcher(self, pid: int, now_ns: int) -> None:
        """Forget a launcher that has ended, those that ended longer ago wholly: their pids may recur."""
        if pid in self._launchers:
            self._launchers.discard(pid)
            self._former[pid] = now_ns
        self._forget_former(now_ns - _FORMER_NS)

    def _forget_former(self, at_ns: int) -> None:
        for pid in [pid for pid, ended_ns in self._former.items() if ended_ns <= at_ns]:
            del self._former[pid]
            if pid not in self._launchers:
                self.recorders.discard(pid)

    def is_launcher(self, pid: int) -> bool:
        """Return whether a process is a launcher, or was one lately."""
        return pid in self._launchers or pid in self._former

    def number(self) -> int:
        """Return a number no process has had."""
        self._next_number += 1
        return self._next_number - 1

    def known(self, pid: int) -> int | None:
        """Return the number of a process of the command that lives or has ended lately."""
        member = self.members.get(pid)
        if member is not None:
            return member.number
        recent = self.recent.get(pid)
        return recent[0] if recent else None

    def number_of_ended(self, pid: int, now_ns: int) -> int:
        """Return the number of a process whose exit record has come; a new one if it was never seen."""
        member = self.members.get(pid)
        number = member.number if member else self._unrecorded.pop(pid, 0) or self.number()
        self.recent[pid] = (number, now_ns)
        return number

    def number_of_unseen(self, pid: int, now_ns: int) -> int:
        """Return a number for a process that ended before anybody looked; its exit record may yet come."""
        number = self.number()
        if pid:
            self._unrecorded[pid] = number
            self.recent[pid] = (number, now_ns)
        return number

    def forget_before(self, at_ns: int) -> None:
        """Forget those that ended long ago: their pids may be given out again."""
        if at_ns > self._made_ns:
            self.recorders.discard(self._starter)
        self._forget_former(at_ns)
        self.recent = {pid: known for pid, known in self.recent.items() if known[1] > at_ns}
        self._unrecorded = {pid: number for pid, number in self._unrecorded.items() if pid in self.recent}

    def find(self) -> list[Member]:
        """Look for new processes below those known; return the new ones."""
        found = []
        waiting = [child for launcher in self._launchers for child in self._children(launcher, 1)]
        waiting += [child for m in self.members.values() for child in self._children(m.pid, m.threads)]
        while waiting:
            pid = waiting.pop()
            if pid in self.members or pid in self.recorders:
                continue
            member = self.admit(pid)
            if member is not None:
                found.append(member)
                waiting += self._children(pid, member.threads)
        return found

    def admit(self, pid: int) -> Member | None:
        """Take a living process in, and note it."""
        stat = read_stat(pid)
        if stat is None or (stat.state in ENDED and pid in self.recent):
            return None
        member = self.members[pid] = Member(self.number(), pid, stat)
        self.admitted += 1
        self.note(member, stat)
        return member

    def note(self, member: Member, stat: Stat) -> None:
        """Write down who a process is; again when it has become another program."""
        member.command, member.image = stat.command, stat.image
        if _owner(member.pid) not in (-1, self._user):
            self.other_users.add(member.number)
        self._journal.note(
            "process",
            number=member.number,
            pid=member.pid,
            parent=self.known(stat.parent) or 0,
            start=start_ns(stat.start_ticks),
            comm=stat.command,
            command=_command_line(member.pid) or f"[{stat.command}]",
            **self._program(member),
            **_pipes(member.pid),
            **({"launcher": stat.parent} if self._joint and self.is_launcher(stat.parent) else {}),
        )

    def _program(self, member: Member) -> dict[str, Any]:
        """Return whether a process is a Python and, if so, what tells from whom it was forked."""
        try:
            program = os.path.basename(os.readlink(f"/proc/{member.pid}/exe"))
            if not program.startswith(_PYTHONS):
                return {"python": False}
            apart = os.stat(f"/proc/{member.pid}/ns/pid").st_ino != self._namespace
        except OSError:
            return {}
        inner = {"inner_pid": inner_pid(member.pid)} if apart else {}
        return {"python": True, "image": int(member.image), **inner}

    def drop(self, pid: int, now_ns: int) -> None:
        """Forget a process that has ended; it was gone by ``now_ns``."""
        member = self.members.pop(pid, None)
        if member is not None:
            if self.recent.get(pid, (0, 0))[0] != member.number:
                self._unrecorded[pid] = member.number
            self.recent[pid] = (member.number, now_ns)
            self._journal.note("gone", number=member.number, by=now_ns)

    def _children(self, pid: int, threads: int) -> list[int]:
        """Return the children of a process; each of its threads may have some."""
        if threads == 1:
            return [int(child) for child in read_small(f"/proc/{pid}/task/{pid}/children").split()]
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            return []
        texts = [read_small(f"/proc/{pid}/task/{task}/children") for task in tasks]
        return [int(child) for text in texts for child in text.split()]


def _pipes(pid: int) -> dict[str, int]:
    """Return the pipes that are a process's standard input and output; 0 for none, where that can be seen.

    None is written too: before it became its program, a process had those of its parent.
    """
    found = (("stdin", pipe_of(pid, 0)), ("stdout", pipe_of(pid, 1)))
    return {name: pipe for name, pipe in found if pipe is not None}


def _owner(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1


def _command_line(pid: int) -> str:
    raw = read_small(f"/proc/{pid}/cmdline")
    return command_text([part.decode("utf-8", "replace") for part in raw.rstrip(b"\0").split(b"\0")])
