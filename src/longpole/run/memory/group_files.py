"""Control groups as folders and files: who is in them, how they end, and where that of a process is."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

from longpole.record.proc import read_small

PROCESSES = "cgroup.procs"
_KILL = "cgroup.kill"
# How often, and how long apart, we look whether what was killed has gone: a second in all.
_LOOKS, _PAUSE_S = 200, 0.005


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A mounted tree of control groups.

    Attributes:
        mounted: Where its root, or the part of it that we may see, is mounted.
        root: Which group of the tree that is.
    """

    mounted: str
    root: str

    def folder(self, group: str) -> str:
        """Return the folder of a group; that of the root if the group is not to be seen from here."""
        below = os.path.relpath(group, self.root)
        found = os.path.normpath(os.path.join(self.mounted, below))
        inside = found == self.mounted or found.startswith(self.mounted + "/")
        return found if inside and os.path.isdir(found) else self.mounted


def find_hierarchy(kind: str, option: str = "") -> Hierarchy | None:
    """Return the first tree of a kind, ``cgroup`` or ``cgroup2``, that is mounted with an option."""
    for line in read_text("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, types = before.split(" "), after.split(" ")
        if types[0] == kind and (not option or option in types[-1].split(",")):
            return Hierarchy(_unescaped(fields[4]), _unescaped(fields[3]))
    return None


def group_of(pid: int, controller: str = "") -> str:
    """Return the group of a process for a controller of version 1; without one, that of version 2."""
    for line in read_text(f"/proc/{pid}/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if controller in controllers.split(","):
            return group
    return ""


def folders(group: str) -> list[str]:
    """Return the folders of the groups right below one."""
    try:
        with os.scandir(group) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def members(group: str) -> list[int]:
    """Return the processes of a group and of all groups below it; those we cannot see have no pid here."""
    found = [int(pid) for pid in read_text(os.path.join(group, PROCESSES)).split()]
    return found + [pid for folder in folders(group) for pid in members(folder)]


def kill(group: str) -> None:
    """Kill all that is in a group now, the groups below it included."""
    if write(os.path.join(group, _KILL), "1"):
        return
    for pid in members(group):
        try:
            if pid:
                os.kill(pid, signal.SIGKILL)
        except OSError:
            continue


def remove(group: str) -> None:
    """Kill what is in a group until nothing is, and remove it with all below it; never raises."""
    for _ in range(_LOOKS):
        if not members(group):
            break
        kill(group)  # again: some may have been started in between
        time.sleep(_PAUSE_S)
    for folder in folders(group):
        remove(folder)
    for _ in range(_LOOKS):
        try:
            os.rmdir(group)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_PAUSE_S)  # what was killed leaves the group a little later
        else:
            return


def read_text(path: str) -> str:
    """Return a file of the kernel's, or nothing if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def read_number(path: str) -> int | None:
    """Return the number that a file holds, if it does."""
    text = read_small(path).strip()
    return int(text) if text.isdigit() else None


def read_count(path: str, name: str) -> int:
    """Return the number beside a name in a file of names and numbers; 0 if it is not there."""
    for line in read_text(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.isdigit():
            return int(value)
    return 0


def write(path: str, text: str) -> bool:
    """Write into a file that the kernel has made; return whether that was possible."""
    try:
        set_file(path, text)
    except OSError:
        return False
    return True


def set_file(path: str, text: str) -> None:
    """Write into a file that the kernel has made.

    Raises:
        OSError: That is not possible.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _unescaped(path: str) -> str:
    """Return a path of mountinfo, where blanks and their like are octal numbers."""
    return path.encode("latin-1", "replace").decode("unicode_escape")
