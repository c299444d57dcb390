"""Processes of the command: who is a Python, and who has become another program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from longpole.log.files import LogWriter
from longpole.log.frames import NOTES
from longpole.record.journal import Journal
from longpole.record.samplers.processes import ProcessSampler
from longpole.record.samplers.tree import Tree
from tests.log.reading import frames_of

TALKING = "import sys; print('ready', flush=True); sys.stdin.readline()"
FORKING = f"import os, sys\nif os.fork() == 0: sys.stdin.readline(); os._exit(0)\n{TALKING}"
BECOMING = f"{TALKING}; import os; os.execv(sys.executable, [sys.executable, '-I', '-c', {TALKING!r}])"


class Desk:
    """A tree, a sampler of it, and the processes it notes."""

    def __init__(self, folder: Path) -> None:
        (folder / "log").mkdir()
        self.log = LogWriter(str(folder), 0)
        self.journal = Journal(self.log, 1_000_000)
        self.tree = Tree(self.journal, 0, os.getpid())
        self.sampler = ProcessSampler(self.journal, self.tree, 10.0)

    def processes(self) -> list[dict[str, Any]]:
        self.journal.flush()
        frames = [frame for frame in frames_of(self.log.path) if frame.kind == NOTES]
        notes = [json.loads(line) for frame in frames for line in bytes(frame.payload).split(b"\n")]
        return [note for note in notes if note["about"] == "process"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program that says when it is ready, and ends when it is spoken to."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == "ready\n"
        yield process
        process.stdin.close()


def test_a_python_is_known_by_its_program_not_by_its_name(desk: Desk, tmp_path: Path) -> None:
    script = tmp_path / "job"
    script.write_text(f"#!{sys.executable}\n{TALKING}\n")
    script.chmod(0o755)
    shell = ("bash", "-c", "exec -a python bash -c 'echo ready; read line; true'")

    with running(str(script)) as process, running(*shell) as other:
        desk.tree.admit(process.pid)
        desk.tree.admit(other.pid)

    found = [(note["comm"], note["python"], "image" in note) for note in desk.processes()]
    assert found == [("job", True, True), ("bash", False, False)]


def test_a_fork_has_the_image_of_its_parent(desk: Desk) -> None:
    with running(sys.executable, "-c", FORKING) as process, running(sys.executable, "-c", TALKING) as other:
        desk.tree.admit(process.pid)
        desk.tree.admit(other.pid)
        desk.tree.find()

    images = [note["image"] for note in desk.processes()]
    assert len(images) == 3
    assert images[2] == images[0] != images[1]


def test_a_process_is_noted_again_when_it_executes_a_program_of_the_same_name(desk: Desk) -> None:
    with running(sys.executable, "-c", BECOMING) as process:
        desk.tree.admit(process.pid)
        desk.sampler.sample(1)
        desk.sampler.sample(2)
        before = len(desk.processes())
        process.stdin.write("go\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        process.stdout.readline()  # type: ignore[union-attr]
        desk.sampler.sample(3)

    first, second = desk.processes()
    assert before == 1
    assert (first["number"], first["comm"]) == (second["number"], second["comm"])
    assert first["image"] != second["image"]
    assert " -I " in second["command"]


def test_pipes_of_a_process_are_noted_by_their_inodes(desk: Desk) -> None:
    with running(sys.executable, "-c", TALKING) as process:
        desk.tree.admit(process.pid)
        pipes = [os.fstat(pipe.fileno()).st_ino for pipe in (process.stdin, process.stdout)]  # type: ignore[union-attr]

    [note] = desk.processes()
    assert [note["stdin"], note["stdout"]] == pipes


def test_standard_output_that_is_no_pipe_any_more_is_noted_as_none(desk: Desk) -> None:
    detached = f"{TALKING}; import os; os.execvp('bash', ['bash', '-c', 'exec cat > /dev/null'])"
    with running(sys.executable, "-c", detached) as process:
        desk.tree.admit(process.pid)
        desk.sampler.sample(1)
        process.stdin.write("go\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        assert process.stdout.read() == ""  # type: ignore[union-attr]  # until it is closed
        desk.sampler.sample(2)

    first, last = desk.processes()
    assert (first["stdin"], last["stdout"]) == (last["stdin"], 0)
    assert first["stdout"] != 0


def test_a_process_that_is_gone_is_no_trouble(desk: Desk) -> None:
    with subprocess.Popen(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        desk.tree.admit(process.pid)

    [note] = desk.processes()
    assert not {"python", "stdin", "stdout"} & note.keys()


def test_what_started_the_agent_is_no_process_of_the_command(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with running(sys.executable, "-c", TALKING) as starter, running(sys.executable, "-c", TALKING) as child:
        tree = Tree(desk.journal, os.getpid(), 0, starter.pid)

        assert [member.pid for member in tree.find() if member.pid in (starter.pid, child.pid)] == [child.pid]

        tree.forget_before(time.monotonic_ns())
        assert starter.pid in [member.pid for member in tree.find()]


def test_a_process_that_ended_unseen_keeps_its_number_when_its_exit_record_comes(desk: Desk) -> None:
    number = desk.tree.number_of_unseen(4711, 1)

    assert desk.tree.known(4711) == number
    assert desk.tree.number_of_ended(4711, 2) == number
    assert desk.tree.number_of_ended(4711, 3) != number
