"""From a stored run to its overview: asks the tables for a little, and lets the analysis judge it."""

from __future__ import annotations

from longpole.analyse.overview import Evidence, overview
from longpole.app.steps import steps_of, trials_of
from longpole.app.tasks import tasks_of
from longpole.model.execution import CONTAINERS, JOB_KINDS, Metric, Scope, Status
from longpole.model.overview import Overview
from longpole.store.run import StoredRun

# The run itself is the first phase: asked for by its id, one block of the table is read and not all.
_RUN = "SELECT start_ns, end_ns FROM phases WHERE id = 1 AND kind = 'run'"
_HOSTS = "SELECT cores FROM hosts"
_TOTALS = f"SELECT metric, value FROM totals WHERE scope = '{Scope.RUN}'"
_PHASES = f"""
    SELECT kind, name, sum(count)::BIGINT AS count, sum(duration_ns)::BIGINT AS total_ns,
        count(*) FILTER (status = '{Status.UNFINISHED}') AS cut,
        count(*) FILTER (count <> 1 OR lane IS NULL) AS many
    FROM phases WHERE kind NOT IN {CONTAINERS + JOB_KINDS} GROUP BY kind, name
"""
_METRICS = ", ".join(f"max(value) FILTER (metric = '{metric}') AS {metric}" for metric in Metric)
_PROCESSES = f"""
    SELECT id, pid, rank, world, name, command, start_ns, end_ns, used.* EXCLUDE (owner)
    FROM processes LEFT JOIN (
        SELECT owner, max(source) FILTER (metric = '{Metric.PEAK_MEMORY}') AS peak_source, {_METRICS}
        FROM totals WHERE scope = '{Scope.PROCESS}' GROUP BY owner
    ) used ON used.owner = id
    ORDER BY id
"""
_MEMORY = f"""
    SELECT samples.owner AS process, samples.end_ns AS at_ns,
        max(value) FILTER (metric = 'resident') AS resident,
        max(value) FILTER (metric = 'proportional') AS proportional
    FROM samples JOIN resources ON resource = id
    WHERE scope = '{Scope.PROCESS}' AND kind = 'memory' GROUP BY 1, 2
"""
_MEANS = """
    SELECT resources.host, kind, name, scope, metric, unit, any_value(capacity) AS capacity,
        sum(value * ((end_ns - start_ns) / 1e9)) AS amount, sum((end_ns - start_ns) / 1e9) AS covered_s,
        max(value) AS peak
    FROM samples JOIN resources ON resource = id WHERE {which} GROUP BY ALL
"""


def overview_of(run: StoredRun) -> Overview:
    """Return the overview of a run.

    Raises:
        DamagedRunError: Nothing of it can be read.
    """
    phases = run.query(_PHASES)
    return overview(
        Evidence(
            manifest=run.manifest,
            state=run.state,
            notes=run.recording,
            reading=run.reading,
            run=run.query(_RUN),
            hosts=run.query(_HOSTS),
            totals=run.query(_TOTALS),
            phases=phases,
            steps=steps_of(run, phases),
            trials=trials_of(run, phases),
            tasks=tasks_of(run),
            processes=run.query(_PROCESSES),
            memory=run.query(_MEMORY),
            host=run.query(_MEANS.format(which=f"scope = '{Scope.HOST}'")),
            gpus=run.query(_MEANS.format(which="kind = 'gpu'")),
        )
    )
