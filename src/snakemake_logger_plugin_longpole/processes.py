"""Recording what Snakemake's jobs execute, so that their processes lie under them in the run.

Method: three places of Snakemake are wrapped in the process that runs the workflow. Its local executor says
which job a thread is about to run; ``snakemake.shell`` starts commands of that job, which then are commands
of ``longpole record``; and executors write down the command of a job that another Snakemake is to run, here
or on a cluster, which then is recorded with all that it starts (but see ``steps``).
A group of jobs is one command, and of none of them alone: the Snakemake that executes it does all this
itself, and knows its jobs by name. What is not as expected is executed as it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from snakemake.executors.local import Executor as LocalExecutor
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from longpole.exchange.snakemake import task_named, task_said
from snakemake_logger_plugin_longpole.command_lines import GROUP_VARIABLE, in_words, launcher, with_group

# ``job`` is what a thread of Snakemake runs; no context, since each thread's event loop keeps its first.
_here = threading.local()
# Where the run is, or nothing if there is none; of the workflow that began last.
_find_run: Callable[[], str] = str


def record_group() -> None:
    """In a Snakemake that executes a group of jobs for another one: record what they execute."""
    global _say  # noqa: PLW0603  as below
    run = os.environ.pop(GROUP_VARIABLE, "")  # no business of what jobs execute
    _say = _named
    record_jobs(lambda: run)


def record_jobs(find_run: Callable[[], str]) -> None:
    """From now on record what jobs of this workflow execute, into the run that is found then."""
    global _find_run  # noqa: PLW0603  Snakemake's own functions are replaced once in a process
    shell = sys.modules["snakemake.shell"]  # in its package that name is the class of shell commands
    if not isinstance(shell.sp, _Subprocess):
        LocalExecutor.cached_or_run = _knowing_job(LocalExecutor.cached_or_run)
        RealExecutor.format_job_exec = _recorded_job(RealExecutor.format_job_exec)
        shell.sp = _Subprocess()  # type: ignore[attr-defined]
    _find_run = find_run


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
            python, run = executor.get_python_executable(), _find_run()
            if job.is_group():
                return with_group(command, python, run)
            return in_words(command, python, _said_of(job), run)
        except Exception:  # noqa: BLE001  the job must run
            return command

    return write_recorded


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
    return [*launcher(run, task), shell, "-c", arguments[0]], others


def _said_of(job: Any) -> str:
    """Return what a command says of its job; nothing where there is none, or several."""
    return "" if job is None or job.is_group() else _say(job)


def _numbered(job: Any) -> str:
    return task_said(int(job.jobid), int(job.attempt))


def _named(job: Any) -> str:
    """Return what is said in a group: numbers there are not those of the workflow."""
    return task_named(job.rule.name, job.wildcards_dict, int(job.attempt))


_say: Callable[[Any], str] = _numbered
