"""Steps of Slurm, to which its executor leaves jobs of Snakemake: they are not below what is recorded.

The Snakemake that a job of Slurm executes is recorded; it starts another by ``srun``, and that one has to be
recorded by itself. Loggers are not started there, but their modules are loaded, as those of all plug-ins.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any

from snakemake_interface_executor_plugins.executors.real import RealExecutor

from longpole.record.rundir import RUN_VARIABLE
from longpole.record.surroundings import TASK_VARIABLE
from snakemake_logger_plugin_longpole.command_lines import in_words


def starts_steps(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Return whether this Snakemake is recorded for a job, and leaves it to a step of Slurm."""
    return bool(environment.get(TASK_VARIABLE)) and ("--executor", "slurm-jobstep") in pairwise(command)


def record_steps() -> None:
    """Record what executors write down from now on, for the task that this process is recorded for."""
    write = RealExecutor.format_job_exec
    task, run = os.environ.get(TASK_VARIABLE, ""), os.environ.get(RUN_VARIABLE, "")

    @wraps(write)
    def write_recorded(executor: Any, job: Any) -> str:
        return in_words(str(write(executor, job)), str(executor.get_python_executable()), task, run)

    RealExecutor.format_job_exec = write_recorded
