"""What the tables of a run say of it as a workflow: asked in SQL, put together by ``analyse.run_outline``."""

from __future__ import annotations

from longpole.analyse.run_outline import OutlineEvidence, run_outline
from longpole.analyse.run_times import auxiliary_types
from longpole.analyse.values import whole
from longpole.app.json_sql import json_number, json_text
from longpole.model.json_facts import facts_in
from longpole.model.run_outline import RunOutline
from longpole.model.run_times import RunTimes
from longpole.store.run import StoredRun

_PLAN = f"SELECT {json_text('attributes', 'plan')} AS plan FROM phases WHERE id = 1 AND kind = 'run'"
# Tasks that run within a cluster are no jobs of their own.
_TASKS = f"""
    SELECT coalesce(type, name) AS type, {json_text("resources", "job_type")} AS job_type, count(*) AS tasks
    FROM tasks WHERE id NOT IN (
        SELECT inner_.task FROM phases AS inner_ JOIN phases AS job ON job.id = inner_.parent
        WHERE inner_.task IS NOT NULL AND job.kind = 'job' AND job.task IS NULL
    ) GROUP BY 1, 2
"""
_GROUPS = "SELECT count(DISTINCT name) AS jobs FROM phases WHERE kind = 'job' AND task IS NULL"
_STAGED = f"""
    SELECT kind, phases.name AS way, type, sum({json_number("attributes", "files")}) AS files,
        sum({json_number("attributes", "bytes")}) AS bytes
    FROM phases LEFT JOIN tasks ON tasks.id = phases.task
    WHERE kind IN ('stage_in', 'stage_out') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
_INPUTS = """
    SELECT count(*) AS files, count(bytes) AS sized, sum(bytes)::BIGINT AS bytes FROM files WHERE id IN (
        SELECT file FROM opens WHERE task IS NOT NULL GROUP BY file HAVING max(coalesce(written, 0)) = 0
    )
"""
# As Slurm and Nextflow, we and WfFormat, and Snakemake call them.
_CORES = (
    f"coalesce({', '.join(json_number('resources', one) for one in ('cpus', 'cores', 'threads', '_cores'))})"
)
# A job has its cores from when it no longer waits; one of several tasks says itself what it holds.
_HELD = f"""
    WITH waited AS (
        SELECT parent, sum(duration_ns) AS waited_ns FROM phases
        WHERE kind IN ('queue', 'hold', 'submitted') GROUP BY parent
    ),
    had AS (
        SELECT coalesce(type, phases.name) AS type, task,
            if(task IS NULL, {json_number("attributes", "cores")}, {_CORES}) AS cores,
            if(task IS NULL, {json_number("attributes", "gpus")}, {json_number("resources", "gpus")}) AS gpus,
            (duration_ns - coalesce(waited_ns, 0)) / 1e9 AS seconds
        FROM phases LEFT JOIN tasks ON tasks.id = phases.task LEFT JOIN waited ON waited.parent = phases.id
        WHERE kind = if(EXISTS (FROM phases WHERE kind = 'job'), 'job', 'exec')
    )
    SELECT type, cores, gpus, sum(seconds) AS seconds FROM had GROUP BY ALL ORDER BY ALL
"""
_HOSTS = """
    SELECT (SELECT sum(cores)::BIGINT FROM hosts) AS cores,
        (SELECT count(DISTINCT (host, name)) FROM resources WHERE kind = 'gpu') AS gpus
"""


def run_outline_of(run: StoredRun, times: RunTimes) -> RunOutline:
    """Return a run as a workflow.

    Raises:
        DamagedRunError: Nothing of it can be read.
    """
    tasks, hosts = run.query(_TASKS), next(run.query(_HOSTS).records())
    return run_outline(
        OutlineEvidence(
            plan=_plan(run),
            workflow=bool(run.recording.workflow),
            auxiliary=auxiliary_types(tasks, run.recording.auxiliary),
            tasks=tasks,
            groups=whole(run.query(_GROUPS)["jobs"][0]) or 0,
            staged=run.query(_STAGED),
            inputs=run.query(_INPUTS),
            held=run.query(_HELD),
            hosts_cores=whole(hosts["cores"]) or 0,
            hosts_gpus=whole(hosts["gpus"]) or 0,
            took_s=times.end_to_end_s,
        )
    )


def _plan(run: StoredRun) -> dict[str, int]:
    """Return what a driver told of its plan; nothing if it told nothing that can be understood."""
    text = next(iter(run.query(_PLAN)["plan"]), None)
    found = facts_in(text) if isinstance(text, str) else {}
    return {str(name): value for name, value in found.items() if isinstance(value, int)}
