"""What the tables of a run say of the use of resources by its processes, for what bounded its phases."""

from __future__ import annotations

from longpole.analyse.bounds import Usage
from longpole.analyse.process_samples import ProcessSamples
from longpole.app.sampled import of_processes
from longpole.model.execution import Metric, Scope
from longpole.store.run import StoredRun

_PROCESSES = "SELECT id, host, start_ns, end_ns FROM processes WHERE start_ns IS NOT NULL ORDER BY id"
_HOSTS = "SELECT id, cores FROM hosts"
_COUNTED = (Metric.CPU_USER, Metric.CPU_SYSTEM, Metric.STORAGE_READ, Metric.STORAGE_WRITTEN)
_TOTALS = f"""
    SELECT owner AS process, metric, value FROM totals
    WHERE scope = '{Scope.PROCESS}' AND owner IS NOT NULL AND metric IN {tuple(map(str, _COUNTED))}
"""


def usage_of(run: StoredRun) -> Usage:
    """Return what processes of a run used."""
    return Usage(
        processes=run.query(_PROCESSES),
        hosts=run.query(_HOSTS),
        use=ProcessSamples(of_processes(run, "cpu", "storage"), run.query(_TOTALS)),
    )
