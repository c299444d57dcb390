"""What the tables of a run say of the use of resources by its processes, for what bounded its phases.

Samples of processes can be many millions: beyond a bound, those of one process that lie close together are
asked for as one, with the same mass.
"""

from __future__ import annotations

from longpole.analyse.bounds import Usage
from longpole.analyse.process_samples import ProcessSamples
from longpole.model.columns import Columns
from longpole.model.execution import Metric, Scope
from longpole.store.run import StoredRun

MOST_SAMPLES = 500_000
_PROCESSES = "SELECT id, host, start_ns, end_ns FROM processes WHERE start_ns IS NOT NULL ORDER BY id"
_HOSTS = "SELECT id, cores FROM hosts"
_WHICH = f"scope = '{Scope.PROCESS}' AND kind IN ('cpu', 'storage') AND end_ns > samples.start_ns"
_EXTENT = f"""
    SELECT count(*) AS rows, coalesce(max(end_ns) - min(start_ns), 0)::BIGINT AS length_ns
    FROM samples JOIN resources ON resource = id WHERE {_WHICH}
"""
_SAMPLES = f"""
    SELECT kind || ' ' || metric AS resource, owner, start_ns, end_ns, value
    FROM samples JOIN resources ON resource = id WHERE {_WHICH} ORDER BY owner, start_ns
"""
_FEWER = f"""
    SELECT kind || ' ' || metric AS resource, owner, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
        sum(value * (end_ns - start_ns)) / (max(end_ns) - min(start_ns)) AS value
    FROM samples JOIN resources ON resource = id WHERE {_WHICH}
    GROUP BY kind, metric, owner, start_ns // {{each_ns}} ORDER BY 2, 3
"""
_TOTALS = f"""
    SELECT owner AS process, CASE metric WHEN '{Metric.STORAGE_READ}' THEN 'storage read'
            WHEN '{Metric.STORAGE_WRITTEN}' THEN 'storage written' ELSE 'cpu used' END AS resource,
        sum(CASE WHEN metric IN ('{Metric.CPU_USER}', '{Metric.CPU_SYSTEM}') THEN value / 1e9 ELSE value END)
            AS value
    FROM totals WHERE scope = '{Scope.PROCESS}' AND owner IS NOT NULL AND metric IN ('{Metric.CPU_USER}',
        '{Metric.CPU_SYSTEM}', '{Metric.STORAGE_READ}', '{Metric.STORAGE_WRITTEN}')
    GROUP BY ALL ORDER BY ALL
"""


def usage_of(run: StoredRun) -> Usage:
    """Return what processes of a run used."""
    return Usage(
        processes=run.query(_PROCESSES),
        hosts=run.query(_HOSTS),
        use=ProcessSamples(_samples(run), run.query(_TOTALS)),
    )


def _samples(run: StoredRun) -> Columns:
    extent = run.query(_EXTENT)
    rows, length_ns = (int(extent[name][0] or 0) for name in ("rows", "length_ns"))
    if rows <= MOST_SAMPLES:
        return run.query(_SAMPLES)
    owners = max(1, run.query("SELECT id FROM processes").rows)
    return run.query(_FEWER.format(each_ns=max(1, 3 * owners * length_ns // MOST_SAMPLES)))
