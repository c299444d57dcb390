"""Which phases of a run come from a trace, in SQL: by their kinds and, of steps and fetches, by their names.

A process that was recorded has phases of its own besides. These tell how long things took; what a trace adds
goes into more detail, for some of the steps only, and would be counted beside them.
"""

from __future__ import annotations

from longpole.store.run import StoredRun

_KINDS = (
    *("operator", "annotation", "python", "runtime", "overhead"),
    *("kernel", "memcpy", "memset", "sync"),
)
STEP = "name LIKE 'ProfilerStep%'"
FETCH = "name LIKE 'enumerate(Data%'"
_RECORDED = "SELECT id FROM processes WHERE source IS NOT NULL"
_GRAFTED = f"SELECT id FROM phases WHERE kind IN {_KINDS} AND process IN ({_RECORDED}) LIMIT 1"
# A step of the profiler that stays, and a fetch, may lie in what is left out: it is then part of its process.
_WITHOUT = f"""
    WITH recorded AS ({_RECORDED}),
    stepping AS (
        SELECT DISTINCT process FROM phases
        WHERE kind IN ('step', 'inference') AND device IS NULL AND NOT coalesce({STEP}, false)
    ),
    kept AS (
        FROM phases
        WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL AND coalesce(count, 1) = 1 AND NOT (
            coalesce(process, 0) IN (FROM recorded) AND (
                kind IN {_KINDS}
                OR coalesce(process, 0) IN (SELECT coalesce(process, -1) FROM stepping)
                    AND coalesce(kind = 'step' AND {STEP} OR kind = 'data' AND {FETCH}, false)
            )
        )
    ),
    home AS (SELECT process, min(id) AS id FROM kept WHERE kind = 'process' GROUP BY process)
    SELECT kept.id, coalesce(around.id, home.id, kept.parent) AS parent, kept.kind, kept.name, kept.task,
        kept.process, kept.lane, kept.start_ns, kept.end_ns
    FROM kept LEFT JOIN (SELECT id FROM kept) around ON around.id = kept.parent
    LEFT JOIN home ON home.process = kept.process AND kept.kind IN ('step', 'data') ORDER BY kept.id
"""


def phases_without_traces(run: StoredRun) -> str | None:
    """Return how to ask for phases of which those that traces added are left out; None if none did.

    Left out are operators, kernels and the like of recorded processes; and steps of the profiler and its
    fetches, where the process has steps of its own.
    """
    return _WITHOUT if run.query(_GRAFTED).rows else None
