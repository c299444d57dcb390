"""Samples of processes: own bytes only, nothing twice, nothing without a change."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longpole.log.files import LogWriter
from longpole.log.frames import SLOTS
from longpole.log.slots import PROCESS_SAMPLE_LAYOUT, SLOT_BYTES
from longpole.record.journal import Journal
from longpole.record.samplers.processes import ProcessSampler
from longpole.record.samplers.tree import Tree
from tests.log.reading import frames_of

MEGABYTE = 1_000_000
READING = "import sys\nfor _ in sys.stdin: print(len(open('/dev/zero', 'rb').read(1000000)), flush=True)"
PARENT = (
    "import subprocess, sys\n"
    f"for _ in sys.stdin: subprocess.run([sys.executable, '-c', {READING!r}], input=b'1')\n"
)


class Desk:
    """A sampler of one process and what it writes."""

    def __init__(self, folder: Path) -> None:
        (folder / "log").mkdir()
        self.log = LogWriter(str(folder), 0)
        self.journal = Journal(self.log, 1_000_000)
        self.tree = Tree(self.journal, 0, os.getpid())
        self.sampler = ProcessSampler(self.journal, self.tree, 10.0)
        self.now_ns = time.monotonic_ns()

    def sample(self) -> None:
        self.now_ns += 100_000_000
        self.sampler.sample(self.now_ns)

    def samples(self) -> list[tuple[int, ...]]:
        self.journal.flush()
        payloads = [bytes(frame.payload) for frame in frames_of(self.log.path) if frame.kind == SLOTS]
        slots = b"".join(payloads)
        return [PROCESS_SAMPLE_LAYOUT.unpack_from(slots, at) for at in range(0, len(slots), SLOT_BYTES)]

    def read_bytes(self, number: int) -> int:
        return sum(sample[10] for sample in self.samples() if sample[3] == number)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def talk(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"go\n")
    process.stdin.flush()
    process.stdout.readline()


def test_bytes_are_counted_as_they_are_read(desk: Desk) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", READING], **pipes) as process:  # type: ignore[call-overload]
        desk.tree.admit(process.pid)
        talk(process)
        desk.sample()
        talk(process)
        desk.sample()
        process.stdin.close()

    assert 2 * MEGABYTE <= desk.read_bytes(1) < 4 * MEGABYTE


def test_bytes_of_reaped_children_are_not_the_parents(desk: Desk) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", PARENT], **pipes) as process:  # type: ignore[call-overload]
        desk.tree.admit(process.pid)
        talk(process)
        time.sleep(0.3)
        desk.sample()
        before = desk.read_bytes(1)
        talk(process)
        time.sleep(0.3)
        desk.sample()
        process.stdin.close()

    assert desk.read_bytes(1) - before < MEGABYTE


def test_nothing_is_written_while_nothing_changes(desk: Desk) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        desk.tree.admit(process.pid)
        time.sleep(0.2)
        for _ in range(10):
            desk.sample()
        process.kill()

    assert len(desk.samples()) <= 2


def test_process_that_has_ended_is_dropped(desk: Desk) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        desk.tree.admit(process.pid)
        desk.sample()
        process.kill()
    desk.sample()

    assert desk.tree.members == {}
    assert desk.tree.known(process.pid) == 1


THREADED = f"""
import subprocess, sys, threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
pipe = subprocess.PIPE
child = subprocess.Popen([sys.executable, '-c', {READING!r}], stdin=pipe, stdout=pipe)
sys.stdin.readline()
child.stdin.write(b'go\\n'); child.stdin.flush(); child.stdout.readline(); print('read', flush=True)
sys.stdin.readline()
child.stdin.close(); child.wait(); print('reaped', flush=True)
sys.stdin.readline()
"""


def test_bytes_of_reaped_children_are_not_those_of_a_parent_with_threads(desk: Desk) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", THREADED], **pipes) as process:  # type: ignore[call-overload]
        desk.tree.admit(process.pid)
        talk(process)
        desk.sampler._newest = b""
        desk.sample()
        desk.sample()
        before = desk.read_bytes(1)
        talk(process)
        desk.sample()
        desk.sample()
        process.stdin.close()

    assert desk.read_bytes(1) - before < MEGABYTE
    assert desk.read_bytes(2) >= MEGABYTE


BURNING = "import time\nwhile time.process_time() < 0.3: pass\n"


def test_what_a_process_did_before_is_left_out(desk: Desk) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", BURNING + READING], **pipes) as process:  # type: ignore[call-overload]
        talk(process)
        desk.tree.admit(process.pid)
        desk.sampler = ProcessSampler(desk.journal, desk.tree, 10.0, time.monotonic_ns())
        desk.now_ns = time.monotonic_ns()
        talk(process)
        desk.sample()
        process.stdin.close()

    assert MEGABYTE <= desk.read_bytes(1) < 1.5 * MEGABYTE
    assert sum(sample[6] + sample[7] for sample in desk.samples()) < 200_000


def test_of_a_process_that_started_since_nothing_is_left_out(desk: Desk) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    desk.sampler = ProcessSampler(desk.journal, desk.tree, 10.0, time.monotonic_ns())
    with subprocess.Popen([sys.executable, "-c", READING], **pipes) as process:  # type: ignore[call-overload]
        talk(process)
        desk.tree.admit(process.pid)
        desk.sample()
        desk.sample()
        process.stdin.close()

    assert desk.read_bytes(1) >= MEGABYTE
