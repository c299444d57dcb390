"""Where the commands of a joint run meet on one node: a folder in its memory, a lock and a pipe.

In the folder lie the rings of all launchers and processes. Who holds the lock is the agent, or starts it: the
lock is inherited, and let go by the kernel when the agent ends, however it ends. The pipe wakes the agent.
"""

from __future__ import annotations

import fcntl
import os
import time
import zlib

from longpole.log.slots import RING_SUFFIX
from longpole.record.client.ring import pid_namespace
from longpole.record.rundir import MEMORY_FOLDERS, boot_id, remove_file

# Rings of launchers: an agent serves as long as there is one.
MEMBER_PREFIX = "m-"
_PREFIX = "longpole-"
# Rings of launchers that were killed are kept for so long, for whoever comes to the run again.
_FORGOTTEN_S = 86400.0
_LOCK, _PIPE, _TROUBLE = "agent.lock", "agent.wake", "trouble"


class Node:
    """The meeting place of one run on this node."""

    def __init__(self, folder: str) -> None:
        """Take the folder."""
        self.folder = folder
        self._lock_path = os.path.join(folder, _LOCK)
        self._pipe_path = os.path.join(folder, _PIPE)
        self._trouble_path = os.path.join(folder, _TROUBLE)

    def prepare(self) -> None:
        """Make the folder, private to this user, if it is not there.

        Raises:
            OSError: There is no room, or somebody else has taken the name.
        """
        try:
            os.mkdir(self.folder, 0o700)
        except FileExistsError:
            status = os.lstat(self.folder)
            if status.st_uid != os.getuid() or status.st_mode & 0o170077 != 0o040000:
                raise PermissionError(1, f"{self.folder} is not ours") from None

    def lock(self) -> int:
        """Return a descriptor that holds the lock, or -1 where an agent has it.

        Raises:
            OSError: The folder is gone, or there is no room.
        """
        while True:
            descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return -1
            if self._is_lock(descriptor):
                return descriptor
            os.close(descriptor)  # an agent that ended has just taken this file away

    def _is_lock(self, descriptor: int) -> bool:
        try:
            return os.stat(self._lock_path).st_ino == os.fstat(descriptor).st_ino
        except FileNotFoundError:
            return False

    def open_pipe(self) -> int:
        """Return the end of the pipe that wakes the agent."""
        remove_file(self._pipe_path)
        os.mkfifo(self._pipe_path, 0o600)
        # for writing too, so that it never ends when a launcher closes its own end
        return os.open(self._pipe_path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def wake(self) -> None:
        """Wake the agent, if there is one."""
        try:
            descriptor = os.open(self._pipe_path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return  # none listens
        try:
            os.write(descriptor, b"!")
        except OSError:
            pass  # it has been woken often enough
        finally:
            os.close(descriptor)

    def members(self) -> list[str]:
        """Return the rings of launchers."""
        try:
            return [name for name in os.listdir(self.folder) if is_member(name)]
        except OSError:
            return []

    def say_trouble(self, text: str) -> None:
        """Leave word of what could not be recorded, for the launchers to say; nothing: all is well again."""
        if not text:
            remove_file(self._trouble_path)
            return
        try:
            with open(self._trouble_path, "w") as file:
                file.write(text)
        except OSError:
            pass  # no room for that either: the launchers say that there is no agent

    def trouble(self) -> str:
        """Return what agents have said could not be recorded."""
        try:
            with open(self._trouble_path) as file:
                return file.read(4096)
        except OSError:
            return ""

    def leave(self, *, even_with_members: bool = False) -> None:
        """Give the memory back, unless somebody has come in the meantime; the lock must be ours."""
        if self.members() and not even_with_members:
            return
        for name in os.listdir(self.folder):
            if even_with_members or not is_member(name):
                remove_file(os.path.join(self.folder, name))
        try:
            os.rmdir(self.folder)
        except OSError:
            pass  # somebody has just come: they find no agent, and start one


def is_member(name: str) -> bool:
    """Return whether a file among the rings is a launcher's."""
    return name.startswith(MEMBER_PREFIX) and name.endswith(RING_SUFFIX)


def node_of(run_path: str) -> Node:
    """Return the meeting place of a run on this node.

    Raises:
        OSError: There is no memory for it.
    """
    failure = OSError("no /dev/shm on this machine")
    for folder in MEMORY_FOLDERS:
        # a pid means nothing in another namespace, so each has a place of its own
        where = f"{os.getuid()}-{run_path.rpartition('-')[2]}-{pid_namespace() & 0xFFFFFFFF:08x}"
        node = Node(os.path.join(folder, f"{_PREFIX}{where}"))
        try:
            node.prepare()
        except OSError as error:
            failure = error
        else:
            return node
    raise failure


def place_of(folder: str) -> str:
    """Return what tells this node, and this container of it, from all others: it names the log."""
    try:
        device = os.stat(os.path.dirname(folder)).st_dev
    except OSError:
        device = 0
    return f"{zlib.crc32(f'{boot_id()} {device} {pid_namespace()} {os.getuid()}'.encode()):08x}"


def sweep(folder: str) -> None:
    """Give back the memory of runs whose agent was killed and to which nobody came again."""
    ours = f"{_PREFIX}{os.getuid()}-"
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith(ours) and os.path.exists(os.path.join(path, _LOCK)):
            try:
                _take_away(Node(path))
            except OSError:
                continue  # somebody has come, or has taken it away


def _take_away(node: Node) -> None:
    lock = node.lock()
    if lock < 0:
        return
    try:
        long_ago = time.time() - os.stat(node.folder).st_mtime > _FORGOTTEN_S
        node.leave(even_with_members=long_ago)
    finally:
        os.close(lock)
