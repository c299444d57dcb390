"""What an agent is asked to do, made by the launcher before it forks one; and what it hears at the end."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    import mmap

    from longpole.record.targets import Target

# The agent's last word when nothing was lost.
ALL_WELL = b"all well"
# The wait status of what nobody here waits for.
NOT_KNOWN = -1


class Assignment:
    """Where an agent writes, whom it watches, and what was opened for it beforehand."""

    def __init__(self, run_path: str, rings_folder: str, launcher: int) -> None:
        """Write into the run at ``run_path`` what the processes below ``launcher`` do."""
        self.run_path = run_path
        self.run_id = run_path.rpartition("-")[2]
        self.rings_folder = rings_folder
        # The launcher is no part of the command; in a recording from within, the root is, and there is none.
        self.launcher = launcher
        self.root = 0
        # There, what started the agent is a child of the root for a moment.
        self.starter = 0
        # Processes that ran before us, and are no children of the launcher.
        self.attached: tuple[Target, ...] = ()
        self.began_ns = time.monotonic_ns()
        self.command: list[str] = []
        self.name = ""
        self.folder = ""
        # Jobs of which Slurm was asked, by earlier logs of the same agent too.
        self.asked: dict[tuple[str, int], int] = {}
        # What tells this node from others, where its agents are to write one log after another into one file.
        self.place = ""
        # The command's variables, where they are not our own.
        self.environment: dict[str, str] | None = None
        self.rate_hz = 10.0
        self.rate_fixed = False
        self.disk_bytes = 200_000_000
        self.launcher_ring: mmap.mmap | None = None
        self.exit_records: _socket.socket | None = None
        self.opens = -1
        self.forks_before = 0
        # CPU time of the agent that an earlier log of its has told.
        self.told_us = (0, 0)

    @property
    def counts_from_ns(self) -> int:
        """From when on what a process uses counts, if it may have run before; else 0."""
        return self.began_ns if self.root or self.attached else 0


class Ending:
    """How the command ended, as the launcher tells the agent."""

    __slots__ = ("began_ns", "cpu_us", "ended_ns", "left", "status", "troubles")

    def __init__(self, status: int, left: int, began_ns: int, ended_ns: int) -> None:
        """Take the wait status, how many processes were left behind, and the times."""
        self.status = status
        self.left = left
        self.began_ns = began_ns
        self.ended_ns = ended_ns
        self.cpu_us = 0
        self.troubles: list[str] = []

    def encode(self) -> bytes:
        """Return the bytes that go through the pipe."""
        numbers = (self.status, self.left, self.began_ns, self.ended_ns, self.cpu_us)
        return "\0".join([" ".join(map(str, numbers)), *self.troubles]).encode("utf-8", "replace")


def decode_ending(message: bytes) -> Ending | None:
    """Return what the launcher said; nothing if it went without a word."""
    if not message:
        return None
    numbers, *troubles = message.decode("utf-8", "replace").split("\0")
    status, left, began_ns, ended_ns, cpu_us = map(int, numbers.split())
    ending = Ending(status, left, began_ns, ended_ns)
    ending.cpu_us = cpu_us
    ending.troubles = troubles
    return ending
