"""File operations: how many small files can be renamed, asked about and renamed again in a second.

Method: a process for each core, eight at most, has empty files in a folder of its own; it renames each, asks
for the state of each (``stat``), and names each as before: three operations. They are processes, as Python's
lock would hold threads up, and begin on a word from us. Making and removing files is left out: how fast that
is depends on what was removed in the last minutes (ext4 without a journal passes over inodes that were just
freed, and is up to ten times slower then), so that no two measurements would agree. Folders with many
entries, and files that are flushed, are slower.
"""

from __future__ import annotations

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

_WORKER = """
import os, sys, time
folder, files = sys.argv[1], int(sys.argv[2])
os.chdir(folder)
names = [str(number) for number in range(files)]
for name in names:
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
print("ready", flush=True)
sys.stdin.readline()
begun = time.monotonic_ns()
for name in names:
    os.rename(name, "." + name)
for name in names:
    os.stat("." + name)
for name in names:
    os.rename("." + name, name)
print(begun, time.monotonic_ns())
"""


class Metadata:
    """Processes that rename and look at files."""

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
        self._processes = min(workers(), _MOST_PROCESSES)
        self._insides = [tempfile.mkdtemp(dir=self._folder.name) for _ in range(self._processes)]
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
        return f"renamed and asked about {self._files} empty files in each of {self._processes} processes"

    def trial(self) -> Mapping[str, float]:
        """Rename, ask and rename once."""
        return {"metadata": self._rate()}

    def close(self) -> None:
        """Remove the folders with all that may be left in them."""
        self._folder.cleanup()

    def _rate(self) -> float:
        with ExitStack() as stack:
            started = [stack.enter_context(self._worker(inside)) for inside in self._insides]
            for worker in started:
                stack.callback(worker.kill)  # no more files after an interrupt; most often it has ended
            for worker in started:
                _line(worker)
            for worker in started:
                _let_go(worker)
            times = [[int(cell) for cell in _line(worker).split()] for worker in started]
        took_ns = max(end for _, end in times) - min(begin for begin, _ in times)
        return OPERATIONS * self._files * self._processes / (took_ns / 1e9)

    def _worker(self, inside: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-I", "-S", "-c", _WORKER, inside, str(self._files)]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, text=True
        )


def _line(worker: subprocess.Popen[str]) -> str:
    line = worker.stdout.readline() if worker.stdout else ""
    if not line:
        raise UnmeasurableError("A process that renames files has failed.")
    return line


def _let_go(worker: subprocess.Popen[str]) -> None:
    if worker.stdin:
        worker.stdin.write("\n")
        worker.stdin.flush()
