"""A recorded run that many tests look at, and a way to call the command line as a user does."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.recording import Someone, somebody

# Programs that tests run in processes of their own are not to be imported into this one.
collect_ignore = ["programs"]

WORK = """
import subprocess, threading
import longpole

def other():
    with longpole.phase("thread"):
        pass

with longpole.phase("outer", rows=3):
    for step in range(5):
        with longpole.phase("inner", kind="step", number=step):
            pass
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
subprocess.run(["sh", "-c", "head -c 100000 /dev/zero | cat > /dev/null"], check=True)
"""

Call = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="package")
def recorded() -> Iterator[Someone]:
    """Someone who has recorded one run, named 'work'."""
    with somebody(nobody=False) as someone:
        done = someone.record(someone.python, "-c", WORK, options=["--name", "work"])
        assert (done.returncode, done.stderr) == (0, "")
        yield someone


@pytest.fixture
def call(recorded: Someone) -> Call:
    """A function that calls ``longpole`` with some arguments, with that run at hand."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        env = recorded.environment({"COLUMNS": "80", **environment})
        command = recorded.command(*arguments)
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)

    return run
