"""Command lines that record what they execute, for a task of a run."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

# What a command line can hold between any quotes.
_PLAIN = re.compile(r"[\w@%+=:,./ -]*", re.ASCII)
# Tells the Snakemake that executes a group of jobs in which run to record them.
GROUP_VARIABLE = "LONGPOLE_SNAKEMAKE_GROUP"
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
    return _before_snakemake(shlex.join(launcher(run, task)), command, python, run) if task else command


def with_group(command: str, python: str, run: str) -> str:
    """Return the command line of a group such that its Snakemake records its jobs, as ``in_words`` does."""
    return _before_snakemake(shlex.join(["env", f"{GROUP_VARIABLE}={run}"]), command, python, run)


def _before_snakemake(words: str, command: str, python: str, run: str) -> str:
    start = f"{python} -m snakemake "
    before, found, after = command.partition(start)
    ours = python == sys.executable and os.path.isdir(run)
    plain = all(_PLAIN.fullmatch(text) for text in (python, run, _LAUNCH))
    if not (ours and plain and found) or start in after or (before and not before.endswith(" ")):
        return command
    return f"{before}{words} {found}{after}"
