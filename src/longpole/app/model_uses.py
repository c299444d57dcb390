"""What the tables of a run say of models: marks that name one, trials and epochs, and what lies in what."""

from __future__ import annotations

from longpole.analyse.model_uses import model_uses
from longpole.app.json_sql import json_text
from longpole.model.execution import Status
from longpole.model.model_use import ModelUse
from longpole.store.run import StoredRun

# Epochs name the model that hooks saw; what is around them may say more.
_NO_MARKS = ("epoch", "evaluation", "trial")
_MARKED = f"""(
    SELECT id FROM phases WHERE attributes IS NOT NULL AND kind NOT IN {_NO_MARKS}
        AND {json_text("attributes", "model")} IS NOT NULL
)"""
# From some phases up to the run: steps and their parts, of which there may be millions, hold none of these.
_UP = """
    WITH RECURSIVE holders AS (
        SELECT id, parent, kind, task, attempt FROM phases
        WHERE kind NOT IN ('step', 'inference', 'data', 'forward', 'backward', 'optimizer', 'device')
    ),
    up AS (
        SELECT id AS leaf, parent, task, attempt, NULL::BIGINT AS place, NULL::VARCHAR AS kind, 0 AS depth
        FROM phases WHERE {which}
        UNION ALL
        SELECT up.leaf, holders.parent, holders.task, holders.attempt, holders.id, holders.kind, depth + 1
        FROM up JOIN holders ON holders.id = up.parent WHERE depth < 1000
    ),
    around AS (
        SELECT leaf, arg_min(task, depth) FILTER (task IS NOT NULL) AS task,
            arg_min(attempt, depth) FILTER (attempt IS NOT NULL) AS attempt,
            arg_min(place, depth) FILTER (place IN {marked}) AS mark,
            arg_min(place, depth) FILTER (kind = 'trial') AS trial
        FROM up GROUP BY leaf
    )
"""
_MARKS = f"""
    {_UP.format(which=f"id IN {_MARKED}", marked=_MARKED)}
    SELECT phases.id, phases.name, coalesce(type, tasks.name) AS type, attributes
    FROM phases JOIN around ON around.leaf = phases.id LEFT JOIN tasks ON tasks.id = around.task
    ORDER BY start_ns, phases.id
"""
# Where trials are asked for and told, they are around epochs in time, and not in the tree. What had not ended
# when its process did is no whole epoch, and will be done again.
_LEAVES = f"""
    {_UP.format(which="kind IN ('trial', 'epoch')", marked=_MARKED)},
    trials AS (FROM phases WHERE kind = 'trial' AND count = 1)
    SELECT leaf.id, leaf.kind, leaf.count, leaf.attributes, coalesce(type, tasks.name) AS type, mark,
        around.task, around.attempt,
        coalesce(trial, if(leaf.kind = 'epoch' AND leaf.end_ns <= trials.end_ns, trials.id, NULL)) AS trial
    FROM (FROM phases WHERE kind IN ('trial', 'epoch')) AS leaf JOIN around ON around.leaf = leaf.id
    ASOF LEFT JOIN trials
        ON trials.process = leaf.process AND trials.lane = leaf.lane AND leaf.start_ns >= trials.start_ns
    LEFT JOIN tasks ON tasks.id = around.task
    WHERE leaf.status IS DISTINCT FROM '{Status.UNFINISHED}' ORDER BY leaf.start_ns, leaf.id
"""


def model_uses_of(run: StoredRun) -> tuple[ModelUse, ...]:
    """Return the models that a run searched for or trained.

    Raises:
        DamagedRunError: Nothing of it can be read.
    """
    return model_uses(run.query(_MARKS), run.query(_LEAVES))
