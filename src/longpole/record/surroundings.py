"""What the environment tells of where a command runs: the job of a batch system, the rank, the task."""

from __future__ import annotations

import os

from longpole.record.client.phases import RANKS, WORLDS

# What is kept of Slurm, and the variables that tell it, the best first.
_SLURM = {
    "job": ("SLURM_JOB_ID", "SLURM_JOBID"),
    "array_job": ("SLURM_ARRAY_JOB_ID",),
    "array_index": ("SLURM_ARRAY_TASK_ID",),
    "name": ("SLURM_JOB_NAME",),
    "nodes": ("SLURM_JOB_NODELIST", "SLURM_NODELIST"),
    "node": ("SLURMD_NODENAME",),
    "restarts": ("SLURM_RESTART_COUNT",),
    "step": ("SLURM_STEP_ID", "SLURM_STEPID"),
    "cluster": ("SLURM_CLUSTER_NAME",),
}
_NUMBERS = ("array_index", "restarts", "rank", "world")
# Tells the task of a workflow that a command belongs to: who tells of it, its id there, and the attempt.
TASK_VARIABLE = "LONGPOLE_TASK"
_LONGEST = 200


def surroundings(environment: dict[str, str]) -> dict[str, object]:
    """Return what is known of where a command runs; nothing where there is no batch system and no rank.

    Examples:
        >>> surroundings({"SLURM_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "3", "SLURM_RESTART_COUNT": "1"})
        {'slurm': {'job': '7', 'array_index': 3, 'restarts': 1}}
        >>> surroundings({"RANK": "2", "WORLD_SIZE": "4", "LONGPOLE_TASK": "Snakemake:8:1"})
        {'rank': 2, 'world': 4, 'task': 'Snakemake:8:1'}
    """
    facts: dict[str, object] = {}
    _take(facts, "rank", RANKS, environment)
    _take(facts, "world", WORLDS, environment)
    _take(facts, "task", (TASK_VARIABLE,), environment)
    slurm: dict[str, object] = {}
    for key, names in _SLURM.items():
        _take(slurm, key, names, environment)
    if "job" in slurm:
        facts["slurm"] = slurm
    return facts


def _take(facts: dict[str, object], key: str, names: tuple[str, ...], environment: dict[str, str]) -> None:
    value = next((environment[name] for name in names if environment.get(name)), "")
    if key not in _NUMBERS:
        if value:
            facts[key] = value[:_LONGEST]
    elif value.isascii() and value.isdigit() and len(value) < 10:
        facts[key] = int(value)


def here(task: str = "") -> dict[str, object]:
    """Return what is known of where this process runs, for a task that may be known better."""
    return surroundings({**os.environ, **({TASK_VARIABLE: task} if task else {})})
