"""Waiting for processes that are no children of ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from longpole.record import ends
from longpole.record.ends import wait_for_end
from longpole.record.proc import lives, read_stat
from longpole.record.targets import Target, find_targets

# Its first thread goes, as where main() ends by pthread_exit; the other is there until it is told.
HEADLESS = """
import ctypes, sys, threading
def stay():
    print("ready", flush=True)
    sys.stdin.readline()
    import os; os._exit(0)
threading.Thread(target=stay).start()
ctypes.CDLL(None).pthread_exit(None)
"""


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Put back what waiting changes in this process."""
    numbers = (*ends.STOPS, signal.SIGCHLD)
    handlers = [signal.getsignal(number) for number in numbers]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    yield
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


def reaper(agent_status: int | None = None) -> Any:
    return SimpleNamespace(reap=list, agent_status=agent_status)


@pytest.fixture(params=["descriptors", "looking"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to hear of an end: as this kernel has it, and as an old one does."""

    def missing(pid: int) -> int:
        raise OSError(38, "Function not implemented")

    if request.param == "looking":
        monkeypatch.setattr(os, "pidfd_open", missing)


def sleeping() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"])


@pytest.mark.usefixtures("_way")
def test_waiting_is_over_when_all_have_ended() -> None:
    with sleeping() as first, sleeping() as second:
        targets = find_targets([first.pid, second.pid])
        first.kill()
        threading.Timer(0.3, second.kill).start()
        wait_for_end(targets, reaper())

        assert not any(lives(target.pid, target.start_ticks) for target in targets)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("number", ends.STOPS)
def test_waiting_is_over_when_somebody_has_had_enough(number: int) -> None:
    with sleeping() as process:
        threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
        wait_for_end(find_targets([process.pid]), reaper())

        assert process.poll() is None
        process.kill()


def test_waiting_is_over_when_the_agent_is_gone() -> None:
    with sleeping() as process:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGCHLD)).start()
        wait_for_end(find_targets([process.pid]), reaper(agent_status=9))

        assert process.poll() is None
        process.kill()


def test_another_process_of_the_same_pid_is_not_waited_for() -> None:
    with sleeping() as process:
        wait_for_end((Target(process.pid, 1, ["other"]),), reaper())

        process.kill()


def test_a_process_lives_while_one_of_its_threads_does() -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HEADLESS], **pipes) as process:  # type: ignore[call-overload]
        process.stdout.readline()
        while (stat := read_stat(process.pid)) and stat.state != b"Z":
            pass
        (target,) = find_targets([process.pid])
        assert lives(target.pid, target.start_ticks)
        process.stdin.close()
        wait_for_end((target,), reaper())

        assert not lives(target.pid, target.start_ticks)
