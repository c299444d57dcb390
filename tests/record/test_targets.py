"""Processes that already run: who they are, and which cannot be recorded."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from longpole.errors import AttachError
from longpole.record.targets import Target, announcement, find_targets


def test_a_process_is_its_pid_its_start_and_its_command() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():
            pass  # the kernel is about to write it down
        (found,) = find_targets([process.pid])
        process.kill()

    assert (found.pid, found.command) == (process.pid, ["sleep", "60"])
    assert found.start_ticks > 0


def test_a_process_is_taken_once_and_parents_come_first() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        found = find_targets([process.pid, os.getppid(), process.pid])
        process.kill()

    assert [target.pid for target in found] == [os.getppid(), process.pid]


@pytest.mark.parametrize(
    ("pid", "why"),
    [
        (999_999_999, "There is no process 999999999."),
        (os.getpid(), "is this recorder itself."),
    ],
)
def test_what_cannot_be_recorded_is_said_why(pid: int, why: str) -> None:
    with pytest.raises(AttachError, match=why):
        find_targets([pid])


def test_a_process_that_has_ended_cannot_be_recorded() -> None:
    with subprocess.Popen(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(AttachError, match=rf"Process {process.pid} \(true\) has ended already"):
            find_targets([process.pid])


def test_of_a_thread_its_process_is_named() -> None:
    go_on = threading.Event()
    thread = threading.Thread(target=go_on.wait, args=(20,))
    thread.start()
    numbers = [thread.native_id or 0]

    with pytest.raises(AttachError, match=f"{numbers[0]} is a thread of process {os.getpid()}"):
        find_targets(numbers)
    go_on.set()
    thread.join()


def test_a_thread_of_the_kernel_cannot_be_recorded() -> None:
    if Path("/proc/2/comm").exists() and Path("/proc/2/comm").read_text() == "kthreadd\n":
        with pytest.raises(AttachError, match=r"Process 2 \(kthreadd\) is a thread of the kernel"):
            find_targets([2])
    else:
        pytest.skip("a container that shows no thread of the kernel")


def test_a_process_without_a_command_line_goes_by_its_name() -> None:
    erase = "import ctypes; ctypes.CDLL(None).prctl(35, 9, 0, 0, 0)"  # needs CAP_SYS_RESOURCE; else no change
    code = f"{erase}\nprint('ready', flush=True)\nimport sys; sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as process:  # type: ignore[call-overload]
        process.stdout.readline()
        (found,) = find_targets([process.pid])
        process.kill()

    assert found.command[0]


def target(pid: int, *command: str) -> Target:
    return Target(pid, 1, list(command))


def test_it_is_announced_who_is_recorded_and_what_will_be_missing() -> None:
    assert announcement((target(os.getpid(), "python", "train.py"),)) == (
        f"recording process {os.getpid()} (python train.py) until it ends or Ctrl-C; "
        "samples only: no exit code, no phases, totals from the samples"
    )


def test_of_many_processes_a_few_are_named() -> None:
    text = announcement(tuple(target(os.getpid(), f"p{number}") for number in range(5)))

    assert text.startswith("recording 5 processes, ")
    assert "(p2) and 2 more, until they end" in text


def test_bytes_that_may_not_be_read_are_announced() -> None:
    one, two = target(os.getpid(), "mine"), target(999_999_999, "gone")

    assert announcement((two,)).endswith(", and its bytes may not be read")
    assert announcement((one, two)).endswith(", and bytes of 1 of them may not be read")


def test_a_command_line_cannot_steer_the_terminal_and_is_cut() -> None:
    text = str(target(7, "evil\x1b[2J\n", "x" * 500))

    assert text.isprintable()
    assert text.startswith("7 (evil\\x1b[2J\\n xxx")
    assert len(text) < 80
