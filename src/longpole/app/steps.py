"""What the tables of a run say of its steps and trials: summed up in SQL, for there may be millions of steps.

A run without steps or trials is not asked at all. Of the one question about steps, its parts on checkpoints
and on rows that stand for many are left out where there are none. A fetch of data as a trace tells it is a
part of the trace's own steps only: ours have noted it themselves.
"""

from __future__ import annotations

from longpole.app.traced import FETCH
from longpole.model.columns import Columns, floats, integers, texts
from longpole.store.run import StoredRun

_STEP_KINDS = ("step", "inference")
_PARTS = ("data", "forward", "backward", "optimizer")
# A row that stands for many is of no thread.
_STANDS_FOR_MANY = "(count <> 1 OR lane IS NULL)"
# Hooks name all steps of training alike; those of another name are marks of the user's own, and may hold the
# very same steps. A step that was not written when its process was killed has no name. Marks that differ by a
# number at their end, as PyTorch's profiler makes them, are one: ProfilerStep#7.
_MARK = "if(kind = 'step' AND name NOT IN ('step', '?'), regexp_replace(name, '#[0-9]+$', ''), NULL) AS mark"

_STEPS = f"""
    WITH step AS (
        SELECT id, process, lane, kind, name, {_MARK}, start_ns, end_ns, duration_ns
        FROM phases WHERE kind IN {_STEP_KINDS} AND NOT {_STANDS_FOR_MANY}
    )
    SELECT 'full' AS what, process, kind, mark, coalesce(mark, mode(name)) AS name, NULL::VARCHAR AS part,
        NULL::VARCHAR AS part_name, NULL::VARCHAR AS attributes, count(*) AS count,
        sum(duration_ns) AS total_ns, min(duration_ns) AS low_ns, max(duration_ns) AS high_ns,
        quantile_cont(duration_ns, 0.5) AS p50_ns, quantile_cont(duration_ns, 0.95) AS p95_ns
    FROM step GROUP BY process, kind, mark
    UNION ALL BY NAME
    SELECT 'part' AS what, step.process, step.kind, step.mark, phases.kind AS part, phases.name AS part_name,
        count(*) AS count, sum(phases.duration_ns) AS total_ns
    FROM phases JOIN step ON phases.parent = step.id
    WHERE phases.kind IN {_PARTS} AND (step.mark IS NOT NULL OR NOT phases.{FETCH}) GROUP BY ALL
"""
# Steps of training that were noted lightly: of their parts only the wait for data is known. Of those under
# way when it was changed what is looked at, no part is.
_LIGHT = f"""
    UNION ALL BY NAME
    SELECT if(waited.parent IS NULL, 'cut', 'light') AS what, step.process, step.kind, step.mark,
        count(*) AS count, sum(step.duration_ns) AS total_ns, sum(waited.duration_ns) AS low_ns
    FROM step
    ANTI JOIN (FROM phases WHERE kind = 'optimizer') optimizer ON optimizer.parent = step.id
    LEFT JOIN (
        SELECT parent, sum(duration_ns) AS duration_ns FROM phases
        WHERE kind = 'data' AND NOT {FETCH} GROUP BY parent
    ) waited ON waited.parent = step.id
    WHERE step.kind = 'step' AND step.mark IS NULL
        AND step.process IN (SELECT process FROM phases WHERE kind = 'optimizer') GROUP BY ALL
"""
_CHECKPOINTS = f"""
    UNION ALL BY NAME
    SELECT 'checkpoint' AS what, step.process, step.kind, step.mark, 'checkpoint' AS part,
        if(step.id IN (SELECT parent FROM phases WHERE kind = 'optimizer'), NULL, 'light') AS part_name,
        count(*) AS count, sum(saved.duration_ns) AS total_ns
    FROM (SELECT * FROM phases WHERE kind = 'checkpoint' AND count = 1) saved
    ASOF JOIN step
        ON saved.process = step.process AND saved.lane = step.lane AND saved.start_ns >= step.start_ns
    WHERE saved.end_ns <= step.end_ns AND NOT EXISTS (
        FROM phases WHERE phases.parent = step.id AND phases.kind IN {_PARTS}
            AND phases.start_ns <= saved.start_ns AND saved.end_ns <= phases.end_ns
    )
    GROUP BY ALL
"""
# The bins of the log, four to a doubling: see bin_of and bin_start in ``longpole.log.slots``.
_SUMS = f"""
    UNION ALL BY NAME
    SELECT 'bin' AS what, process, kind, mark, count(*) AS count,
        (took >> (doubling - 2)) << (doubling - 2) AS low_ns
    FROM (FROM step SELECT *, greatest(duration_ns, 256) AS took, floor(log2(took))::BIGINT AS doubling)
    WHERE duration_ns IS NOT NULL GROUP BY ALL
    UNION ALL BY NAME
    SELECT 'sum' AS what, process, kind, {_MARK}, name, count, duration_ns AS total_ns, attributes
    FROM phases WHERE kind IN {_STEP_KINDS} AND {_STANDS_FOR_MANY}
"""
_TRIALS = f"""
    WITH trial AS (FROM phases WHERE kind = 'trial' AND count = 1),
    step AS (
        SELECT process, lane, start_ns, end_ns FROM phases WHERE kind = 'step' AND NOT {_STANDS_FOR_MANY}
    ),
    epoch AS (
        SELECT process, lane, start_ns, end_ns,
            TRY_CAST(regexp_extract(attributes, '"steps": ?([0-9]+)', 1) AS BIGINT) AS steps
        FROM phases WHERE kind = 'epoch' AND count = 1
    )
    SELECT search.name AS search, search.start_ns AS search_ns, trial.name, trial.process, trial.duration_ns,
        trial.status, trial.attributes,
        taken.steps AS full, looped.steps AS epochs, everywhere.steps AS all_epochs
    FROM trial
    LEFT JOIN (FROM phases WHERE kind = 'search') search ON search.id = trial.parent
    LEFT JOIN (
        SELECT trial.id, count(*) AS steps FROM step ASOF JOIN trial
            ON step.process = trial.process AND step.lane = trial.lane AND step.start_ns >= trial.start_ns
        WHERE step.end_ns <= trial.end_ns GROUP BY trial.id
    ) taken ON taken.id = trial.id
    LEFT JOIN (
        SELECT trial.id, sum(steps) AS steps FROM epoch ASOF JOIN trial
            ON epoch.process = trial.process AND epoch.lane = trial.lane AND epoch.start_ns >= trial.start_ns
        WHERE epoch.end_ns <= trial.end_ns GROUP BY trial.id
    ) looped ON looped.id = trial.id
    LEFT JOIN (
        SELECT process, sum(steps) AS steps FROM epoch GROUP BY process
    ) everywhere ON everywhere.process = trial.process
    ORDER BY trial.start_ns, trial.id
"""
_NO_STEPS = {
    **dict.fromkeys(("what", "kind", "mark", "name", "part", "part_name", "attributes"), texts([])),
    **dict.fromkeys(("process", "count", "total_ns", "low_ns", "high_ns"), integers([])),
    **dict.fromkeys(("p50_ns", "p95_ns"), floats([])),
}


def steps_of(run: StoredRun, phases: Columns) -> Columns:
    """Return what ``analyse.steps`` takes, from a run with these kinds of phase.

    Args:
        run: The run.
        phases: Columns ``kind`` and ``many``, how many rows of a kind may stand for many.
    """
    rows = [(row["kind"], row["many"]) for row in phases.records()]
    kinds = {kind for kind, _ in rows}
    if kinds.isdisjoint(_STEP_KINDS):
        return Columns(_NO_STEPS)
    some_counted = any(many for kind, many in rows if kind in _STEP_KINDS)
    sql = _STEPS + (_LIGHT if "optimizer" in kinds else "")
    sql += _CHECKPOINTS if "checkpoint" in kinds else ""
    return run.query(sql + (_SUMS if some_counted else ""))


def trials_of(run: StoredRun, phases: Columns) -> Columns:
    """Return what ``analyse.trials`` takes, from a run with these kinds of phase."""
    if "trial" not in set(phases["kind"]):
        return Columns({})
    return run.query(_TRIALS)
