"""A plan as JSON."""

from __future__ import annotations

from longpole.model.plan import Movement, Plan, TaskType

SCHEMA_VERSION = 1


def plan_json(plan: Plan) -> dict[str, object]:
    """Return a plan for ``--json``: what is not known is null, with how much it is at least beside it."""
    sums = {
        "tasks": plan.tasks,
        "jobs": plan.jobs,
        "auxiliary_jobs": plan.auxiliary_jobs,
        "files_staged_in": plan.files_staged_in,
        "files_moved": plan.files_moved,
        "bytes_moved": plan.bytes_moved,
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "workflow": plan.workflow,
        "placement": plan.placement,
        "cluster": str(plan.clustering),
        **{name: amount.value for name, amount in sums.items()},
        "at_least": {name: amount.at_least for name, amount in sums.items() if not amount.exact},
        "brought": _movement(plan.brought),
        "sent": _movement(plan.sent),
        "levels": plan.levels,
        "types": [_type(each) for each in plan.types],
        "unknown_sets": plan.unknown_sets,
        "outside_files": plan.outside_files,
        "missing_files": plan.missing_files,
    }


def _movement(movement: Movement) -> dict[str, int | None]:
    return {"files": movement.files.value, "bytes": movement.moved_bytes.value}


def _type(each: TaskType) -> dict[str, object]:
    known = each.tasks is not None
    return {
        "type": each.name,
        "level": each.level,
        "tasks": each.tasks,
        "inputs_each": each.inputs if known else None,
        "outputs_each": each.outputs if known else None,
        "makes_many": each.makes_many,
        "resources": each.resources,
        "cluster": each.cluster or None,
        "after": each.before,
        "known_after": each.known_after,
    }
