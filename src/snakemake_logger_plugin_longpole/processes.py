"""Recording what Snakemake's jobs execute, so that their processes lie under them in the run.

Method: three places of Snakemake are wrapped in the process that runs the workflow. Its local executor says
which job a thread is about to run; ``snakemake.shell`` starts commands of that job, which then are commands
of ``longpole record``; and executors write down the command of a job that another Snakemake is to run, here
or on a cluster, which then is recorded with all that it starts. That Snakemake may in turn leave its job to a
step of Slurm, which is no descendant of its: it loads this plug-in too, to have the step recorded.
A group of jobs is one command, and of none of them alone: it is left out. What is not as expected is executed
as it is.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from snakemake.executors.local import Executor as LocalExecutor
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from longpole.exchange.snakemake import task_said
from longpole.record.rundir import RUN_VARIABLE
from longpole.record.surroundings import TASK_VARIABLE

# ``job`` is what a thread of Snakemake runs; no context, since each thread's event loop keeps its first.
_here = threading.local()
# Where the run is, or nothing if there is none; of the workflow that began last.
_find_run: Callable[[], str] = str
# What a command line can hold between any quotes.
_PLAIN = re.compile(r"[\w@%+=:,./ -]*", re.ASCII)
_LAUNCH = str(Path(__file__).resolve().with_name("launch.py"))
_IN_STEPS = "snakemake_executor_plugin_slurm"
_LOAD_US = "--logger longpole --logger-longpole-processes "


def record_jobs(find_run: Callable[[], str]) -> None:
    """From now on record what jobs of this workflow execute, into the run that is found then."""
    global _find_run  # noqa: PLW0603  Snakemake's own functions are replaced once in a process
    shell = sys.modules["snakemake.shell"]  # in its package that name is the class of shell commands
    if not isinstance(shell.sp, _Subprocess):
        LocalExecutor.cached_or_run = _knowing_job(LocalExecutor.cached_or_run)
        RealExecutor.format_job_exec = _recorded_job(RealExecutor.format_job_exec)
        shell.sp = _Subprocess()  # type: ignore[attr-defined]
    _find_run = find_run


def record_steps() -> None:
    """In a Snakemake that is recorded for one job: record what it does not execute below itself."""
    write = RealExecutor.format_job_exec
    task, run = os.environ.get(TASK_VARIABLE, ""), os.environ.get(RUN_VARIABLE, "")

    @wraps(write)
    def write_recorded(executor: Any, job: Any) -> str:
        below = isinstance(executor, LocalExecutor)
        command = str(write(executor, job))
        return command if below else in_words(command, executor.get_python_executable(), task, run)

    RealExecutor.format_job_exec = write_recorded


def _knowing_job(run: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(run)
    def run_knowing(executor: Any, job: Any, *rest: Any) -> Any:
        _here.job = job
        try:
            return run(executor, job, *rest)
        finally:
            _here.job = None

    return run_knowing


def _recorded_job(write: Callable[[Any, Any], str]) -> Callable[[Any, Any], str]:
    @wraps(write)
    def write_recorded(executor: Any, job: Any) -> str:
        command = write(executor, job)
        try:
            more = _LOAD_US if type(executor).__module__ == _IN_STEPS else ""
            return in_words(command, executor.get_python_executable(), _said_of(job), _find_run(), more)
        except Exception:  # noqa: BLE001  the job must run
            return command

    return write_recorded


def in_words(command: str, python: str, task: str, run: str, more: str = "") -> str:
    """Return the command line of a job such that its Snakemake is recorded; as it is where that is not sure.

    Args:
        command: As Snakemake has it; parts of it may come before and behind its own.
        python: What it executes Snakemake by; another than ours may not have Longpole.
        task: How the job is said.
        run: The folder of the run.
        more: Arguments for that Snakemake.

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
    return f"{before}{shlex.join(_launcher(run, task))} {found}{more}{after}"


class _Subprocess:
    """The module ``subprocess`` as ``snakemake.shell`` sees it, but for how it starts a command."""

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)

    @staticmethod
    def Popen(*arguments: Any, **options: Any) -> Any:  # noqa: N802  as in subprocess
        """Start the command of a job, recorded if that can be."""
        try:
            recorded = recorded_call(arguments, options, _said_of(getattr(_here, "job", None)), _find_run())
        except Exception:  # noqa: BLE001  the job must run
            recorded = None
        if recorded is None:
            return subprocess.Popen(*arguments, **options)
        return subprocess.Popen(recorded[0], **recorded[1])


def recorded_call(
    arguments: Sequence[Any], options: Mapping[str, Any], task: str, run: str
) -> tuple[list[str], dict[str, Any]] | None:
    """Return how a shell's command is started such that it is recorded; nothing where that is not sure."""
    known = len(arguments) == 1 and isinstance(arguments[0], str) and options.get("shell") is True
    if not known or not task or not os.path.isdir(run):
        return None
    shell = str(options.get("executable") or "/bin/sh")
    others = {name: value for name, value in options.items() if name not in ("shell", "executable")}
    return [*_launcher(run, task), shell, "-c", arguments[0]], others


def _launcher(run: str, task: str) -> list[str]:
    # What a command leaves behind is no more waited for than without us.
    return [sys.executable, "-I", _LAUNCH, "--join", run, "--task", task, "--linger", "0", "--"]


def _said_of(job: Any) -> str:
    """Return what a command says of its job; nothing of jobs that are executed together."""
    if job is None or job.is_group():
        return ""
    return task_said(int(job.jobid), int(job.attempt))
