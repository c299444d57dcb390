"""What must be written at the end is written, in children of any kind, and promised once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.recording import SOURCE

BEGIN = f"""
import os, sys
sys.path.insert(0, {str(SOURCE)!r})
from longpole.record.hooks.ends import at_end
def say():
    os.write(1, (str(os.getpid() == first) + " ").encode())
first = os.getpid()
"""


def said(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_action_is_done_once_however_often_it_was_asked_for() -> None:
    assert said("for _ in range(5): at_end(say)") == ["True"]


@pytest.mark.parametrize("library", ["", "import multiprocessing"])
def test_forked_child_that_asks_again_does_it_too(library: str) -> None:
    program = f"""
{library}
at_end(say)
child = os.fork()
if child:
    os.waitpid(child, 0)
else:
    at_end(say)
"""

    assert sorted(set(said(program))) == ["False", "True"]


def test_child_of_multiprocessing_does_it_at_its_own_end() -> None:
    program = """
import multiprocessing
at_end(say)
process = multiprocessing.get_context("fork").Process(target=at_end, args=(say,))
process.start()
process.join()
"""

    assert said(program) == ["False", "True"]
