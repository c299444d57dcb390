"""Command lines that record what they execute, for a task of a run."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

# What a command line can hold between any quotes.
_PLAIN = re.compile(r"[\w@%+=:,./ -]*", re.ASCII)
_LAUNCH = str(Path(__file__).resolve().with_name("launch.py"))


def launcher(run: str, task: str) -> list[str]:
    """Return what is put before a command to record it."""
    # What a command leaves behind is no more waited for than without us.
    return [sys.executable, "-I", _LAUNCH, "--join", run, "--task", task, "--linger", "0", "--"]


def in_words(command: str, python: str, task: str, run: str) -> str:
    """Return the command line of a job such that its Snakemake is recorded; as it is where that is not sure.

    Args:
        command: As Snakemake has it; parts of it may come before and behind its own.
        python: What it executes Snakemake by; another than ours may not have Longpole.
        task: How the job is said.
        run: The folder of the run.

    Examples:
        >>> in_words("cd x && python -m snakemake -j1", "python", "Snakemake:8:1", "/no run")
        'cd x && python -m snakemake -j1'
    """
    start = f"{python} -m snakemake "
    before, found, after = command.partition(start)
    ours = python == sys.executable and os.path.isdir(run) and task
    plain = all(_PLAIN.fullmatch(text) for text in (python, task, run, _LAUNCH))
    if not (ours and plain and found) or start in after or (before and not before.endswith(" ")):
        return command
    return f"{before}{shlex.join(launcher(run, task))} {found}{after}"
