"""File operations: how many small files can be made, asked about and removed in a second.

Method: a process for each core, eight at most, makes empty files in a new folder of its own, then asks for
the state of each (``stat``), then removes them; making, asking and removing count as one operation each.
They are processes, as Python's lock would hold threads up, and begin on a word from us. On ext4 folders are
placed far apart: without a journal it passes over inodes that were freed in the last minutes, and files made
where others were just removed would be made ten times more slowly. Folders with many entries, and files that
are flushed, are slower.
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from longpole.measure.cores import workers
from longpole.measure.folder import remark_on, room
from longpole.measure.probe import LEAST_REPEATS, UnmeasurableError

OPERATIONS = 3
_FILES = 300
_FEWEST = 20
_MOST_PROCESSES = 8
_TRIAL_S = 0.25
_LEAST_ROOM = 16_000_000

# The flags of an inode, as <linux/fs.h> has them.
_FLAGS = struct.Struct("l")
_GET_FLAGS, _SET_FLAGS, _TOP_FOLDER = 0x80086601, 0x40086602, 0x20000

_WORKER = """
import os, sys, time
folder, files = sys.argv[1], int(sys.argv[2])
os.chdir(folder)
names = [str(number) for number in range(files)]
print("ready", flush=True)
sys.stdin.readline()
begun = time.monotonic_ns()
for name in names:
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
for name in names:
    os.stat(name)
for name in names:
    os.unlink(name)
print(begun, time.monotonic_ns())
"""


class Metadata:
    """Processes that make, look at and remove files."""

    least = LEAST_REPEATS
    on_cores = True

    def __init__(self, folder: Path) -> None:
        """Make a folder for each process, and try how many files a trial should have."""
        room(folder, _LEAST_ROOM)
        self.remark = remark_on(folder)
        # It removes itself at the end of the interpreter, too, should we be interrupted here.
        self._folder = tempfile.TemporaryDirectory(
            prefix=".longpole-", dir=folder, ignore_cleanup_errors=True
        )
        _place_apart(self._folder.name)
        self._processes = min(workers(), _MOST_PROCESSES)
        self._files = _FEWEST
        try:
            self._files = min(
                _FILES, max(_FEWEST, int(self._rate() * _TRIAL_S / OPERATIONS / self._processes))
            )
        except BaseException:
            self.close()
            raise

    @property
    def how(self) -> str:
        """Say how many files there were, and by how many processes."""
        return (
            f"made, asked about and removed {self._files} empty files in each of {self._processes} processes"
        )

    def trial(self) -> Mapping[str, float]:
        """Make, ask and remove once."""
        return {"metadata": self._rate()}

    def close(self) -> None:
        """Remove the folders with all that may be left in them."""
        self._folder.cleanup()

    def _rate(self) -> float:
        with ExitStack() as stack:
            started = [stack.enter_context(self._worker()) for _ in range(self._processes)]
            for worker in started:
                stack.callback(worker.kill)  # no more files after an interrupt; most often it has ended
            for worker in started:
                _line(worker)
            for worker in started:
                _let_go(worker)
            times = [[int(cell) for cell in _line(worker).split()] for worker in started]
        took_ns = max(end for _, end in times) - min(begin for begin, _ in times)
        return OPERATIONS * self._files * self._processes / (took_ns / 1e9)

    def _worker(self) -> subprocess.Popen[str]:
        inside = tempfile.mkdtemp(dir=self._folder.name)
        command = [sys.executable, "-I", "-S", "-c", _WORKER, inside, str(self._files)]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, text=True
        )


def _place_apart(folder: str) -> None:
    """Let ext4 place the folders in this one far from each other; others know no such wish."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        flags = bytearray(_FLAGS.size)
        fcntl.ioctl(opened, _GET_FLAGS, flags)
        fcntl.ioctl(opened, _SET_FLAGS, _FLAGS.pack(_FLAGS.unpack(flags)[0] | _TOP_FOLDER))
    except OSError:
        pass
    finally:
        os.close(opened)


def _line(worker: subprocess.Popen[str]) -> str:
    line = worker.stdout.readline() if worker.stdout else ""
    if not line:
        raise UnmeasurableError("A process that makes files has failed.")
    return line


def _let_go(worker: subprocess.Popen[str]) -> None:
    if worker.stdin:
        worker.stdin.write("\n")
        worker.stdin.flush()
