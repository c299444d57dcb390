"""What the tables of a run say of what its jobs used: asked in SQL, put together by ``analyse.kind_use``."""

from __future__ import annotations

from dataclasses import replace

from longpole.analyse.kind_use import UseEvidence, run_use
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_times import auxiliary_types
from longpole.analyse.use_reasons import Teller
from longpole.app.json_sql import json_text
from longpole.app.overview import overview_of
from longpole.app.roofline_run import plain_tables_of
from longpole.model.execution import Metric, Scope, Source
from longpole.model.kind_use import RunUse
from longpole.model.run_times import RunTimes
from longpole.store.run import StoredRun

_METRICS = {"read": Metric.READ, "written": Metric.WRITTEN, "peak": Metric.PEAK_MEMORY}
_PIVOT = ", ".join(
    [
        f"sum(value) FILTER (metric IN ('{Metric.CPU_USER}', '{Metric.CPU_SYSTEM}'))::DOUBLE AS cpu_ns",
        *(f"max(value) FILTER (metric = '{metric}')::DOUBLE AS {name}" for name, metric in _METRICS.items()),
    ]
)
# What was told of an execution, else of the whole job, else of parts of either.
_TOLD = ", ".join(
    f"coalesce({how}({name}) FILTER (kind = 'exec'), {how}({name}) FILTER (kind = 'job'), {how}({name})) "
    f"AS {name}"
    for name, how in {"cpu_ns": "sum", "read": "sum", "written": "sum", "peak": "max"}.items()
)
# Executions, or whole jobs where nobody tells of executions; in the same order wherever they are numbered.
_EXECUTIONS = """
    executions AS (
        SELECT row_number() OVER (ORDER BY task, turn) AS number, * FROM (
            SELECT task, coalesce(attempt, 1) AS turn, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
                sum(duration_ns)::BIGINT AS duration_ns
            FROM phases WHERE task IS NOT NULL AND kind = if(
                EXISTS (FROM phases WHERE kind = 'exec' AND task IS NOT NULL), 'exec', 'job')
            GROUP BY task, turn
        )
    )
"""
_TASKS = f"""
    WITH {_EXECUTIONS},
    told AS (
        SELECT task, turn, {_TOLD} FROM (
            SELECT if(part.kind IN ('exec', 'job'), part.task, coalesce(above.task, part.task)) AS task,
                coalesce(part.attempt, 1) AS turn, part.kind, used.*
            FROM (SELECT owner, {_PIVOT} FROM totals WHERE scope = '{Scope.PHASE}' GROUP BY owner) AS used
            JOIN phases AS part ON part.id = used.owner LEFT JOIN phases AS above ON above.id = part.parent
        ) GROUP BY task, turn
    )
    SELECT executions.number AS id, tasks.name, coalesce(type, tasks.name, 'task') AS type, resources,
        start_ns, end_ns, duration_ns, executions.task, cpu_ns, read, written, peak,
        NULL::DOUBLE AS storage_read, NULL::DOUBLE AS storage_written
    FROM executions JOIN tasks ON tasks.id = executions.task
    LEFT JOIN told ON told.task = executions.task AND told.turn = executions.turn ORDER BY executions.number
"""
_INSIDE = f"""
    WITH RECURSIVE {_EXECUTIONS},
    up AS (
        SELECT process, parent, task, attempt, 0 AS depth
        FROM phases WHERE kind = 'process' AND process IS NOT NULL
        UNION ALL
        SELECT up.process, phases.parent, phases.task, phases.attempt, depth + 1 FROM up
        JOIN phases ON phases.id = up.parent WHERE up.task IS NULL AND depth < 1000
    )
    SELECT process, min(number) AS task FROM up JOIN executions
        ON executions.task = up.task AND executions.turn = coalesce(up.attempt, 1)
    GROUP BY process ORDER BY process
"""
_MEMORY = f"""
    SELECT samples.owner AS process, samples.end_ns AS at_ns,
        max(value) FILTER (metric = 'resident') AS resident,
        max(value) FILTER (metric = 'proportional') AS proportional
    FROM samples JOIN resources ON resource = id
    WHERE scope = '{Scope.PROCESS}' AND kind = 'memory' AND samples.owner IS NOT NULL GROUP BY 1, 2
"""
_PEAKS = f"""
    SELECT id, end_ns, max(value) AS peak,
        coalesce(bool_or(totals.source = '{Source.EXACT}'), false)::TINYINT AS exact
    FROM processes LEFT JOIN totals
        ON scope = '{Scope.PROCESS}' AND owner = id AND metric = '{Metric.PEAK_MEMORY}'
    GROUP BY id, end_ns ORDER BY id
"""
_GPUS = """
    SELECT dense_rank() OVER (ORDER BY resources.host, name) AS gpu, scope, metric, start_ns, end_ns, value
    FROM samples JOIN resources ON resource = id
    WHERE kind = 'gpu' AND metric IN ('busy', 'memory used', 'processes') ORDER BY start_ns
"""
_TYPES = f"""
    SELECT DISTINCT coalesce(type, name) AS type, {json_text("resources", "job_type")} AS job_type FROM tasks
"""


def run_use_of(run: StoredRun, times: RunTimes) -> RunUse:
    """Return what a run used, by kind of job and as a whole.

    Raises:
        DamagedRunError: Nothing of it can be read.
    """
    notes = run.recording
    return run_use(
        UseEvidence(
            run=_tables(run),
            overview=overview_of(run),
            memory=run.query(_MEMORY),
            peaks=run.query(_PEAKS),
            gpus=run.query(_GPUS),
            auxiliary=auxiliary_types(run.query(_TYPES), notes.auxiliary),
            teller=Teller(notes.told_by, bool(notes.logs), bool(notes.workflow)),
            end_to_end_s=times.end_to_end_s,
        )
    )


def _tables(run: StoredRun) -> RunTables:
    """Return the tables of a run in which a task is an execution of one: each attempt counts."""
    tables = plain_tables_of(run)
    if not tables.tasks.rows:
        return tables
    return replace(tables, tasks=run.query(_TASKS), inside=run.query(_INSIDE))
