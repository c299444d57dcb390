"""What the tables of a run say of its tasks, by type; a run without tasks is not asked for more."""

from __future__ import annotations

from longpole.model.columns import Columns, integers, texts
from longpole.model.execution import Metric, Scope, Status
from longpole.store.run import StoredRun

_TASKS = f"""
    WITH peak AS (
        SELECT owner, max(value) AS bytes FROM totals
        WHERE scope = '{Scope.PHASE}' AND metric = '{Metric.PEAK_MEMORY}' GROUP BY owner
    )
    SELECT type, count(DISTINCT tasks.id) AS tasks,
        count(DISTINCT tasks.id) FILTER (outcome = 'never') AS never,
        count(*) FILTER (kind = 'job') AS attempts,
        count(*) FILTER (kind = 'job' AND status = '{Status.FAILED}') AS failed,
        sum(duration_ns) FILTER (kind = 'hold')::BIGINT AS hold_ns,
        sum(duration_ns) FILTER (kind = 'queue')::BIGINT AS queue_ns,
        sum(duration_ns) FILTER (kind = 'exec')::BIGINT AS exec_ns,
        quantile_cont(duration_ns, 0.5) FILTER (kind = 'exec') AS p50_ns,
        quantile_cont(duration_ns, 0.95) FILTER (kind = 'exec') AS p95_ns,
        max(peak.bytes) AS peak_bytes
    FROM tasks LEFT JOIN phases ON phases.task = tasks.id LEFT JOIN peak ON peak.owner = phases.id
    GROUP BY type
"""
_NUMBERS = (
    *("tasks", "never", "attempts", "failed", "hold_ns", "queue_ns", "exec_ns"),
    *("p50_ns", "p95_ns", "peak_bytes"),
)


def tasks_of(run: StoredRun) -> Columns:
    """Return the tasks of a run as ``task_uses`` takes them."""
    if run.query("SELECT id FROM tasks LIMIT 1").rows:
        return run.query(_TASKS)
    return Columns({"type": texts([]), **{name: integers([]) for name in _NUMBERS}})
