"""What the tables of a run say of its times: asked in SQL, added up by ``analyse.run_times``."""

from __future__ import annotations

from longpole.analyse.run_times import TimesEvidence, run_times
from longpole.analyse.values import whole
from longpole.app.json_sql import json_text
from longpole.model.execution import Status
from longpole.model.run_times import RunTimes
from longpole.store.run import StoredRun

_RUN = "SELECT start_ns, end_ns, status, attributes FROM phases WHERE id = 1 AND kind = 'run'"
# A job that failed before it executed anything has not computed, where others tell of executions.
_TASKS = f"""
    WITH did AS (
        SELECT task, sum(duration_ns) FILTER (kind = 'exec') AS execs,
            sum(duration_ns) FILTER (kind = 'job') AS jobs,
            greatest(count(*) FILTER (kind = 'job') - 1, 0) AS retries,
            arg_max(status, coalesce(attempt, 1)) FILTER (kind = 'job') = '{Status.FAILED}' AS failed
        FROM phases WHERE task IS NOT NULL AND kind IN ('exec', 'job') GROUP BY task
    ),
    took AS (
        SELECT *, if((SELECT count(*) FROM phases WHERE kind = 'exec') > 0, execs, jobs) AS took_ns FROM did
    )
    SELECT coalesce(type, name) AS type, outcome, {json_text("resources", "job_type")} AS job_type,
        count(*) AS tasks, count(took_ns) AS timed, sum(took_ns)::DOUBLE AS total_ns,
        sum(retries)::BIGINT AS retries, count(*) FILTER (failed) AS failed
    FROM tasks LEFT JOIN took ON took.task = tasks.id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
_KINDS = """
    SELECT kind, sum(duration_ns)::DOUBLE AS total_ns FROM phases
    WHERE kind IN ('stage_in', 'stage_out', 'container', 'queue') GROUP BY kind ORDER BY kind
"""
_GROUPS = """
    SELECT count(*) - count(DISTINCT name) AS retries FROM phases WHERE kind = 'job' AND task IS NULL
"""
_TOLD = "SELECT max(duration_ns)::BIGINT AS took_ns FROM phases WHERE kind = 'workflow'"


def run_times_of(run: StoredRun) -> RunTimes:
    """Return the times of a run by which placements are compared.

    Raises:
        DamagedRunError: Nothing of it can be read.
    """
    told, retries = run.query(_TOLD)["took_ns"][0], run.query(_GROUPS)["retries"][0]
    return run_times(
        TimesEvidence(
            manifest=run.manifest,
            state=run.state,
            notes=run.recording,
            run=run.query(_RUN),
            tasks=run.query(_TASKS),
            kinds=run.query(_KINDS),
            told_ns=whole(told),
            group_retries=whole(retries) or 0,
        )
    )
