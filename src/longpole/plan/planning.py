"""A plan of a workflow: its tasks as far as they are known, its jobs, and what its data does."""

from __future__ import annotations

from longpole.model.plan import RULES, Amount, Clustering, Placement, Plan, TaskType
from longpole.model.workflow import Workflow
from longpole.plan.clusters import Clusters, clustering_for
from longpole.plan.counting import Counting, auxiliary_jobs
from longpole.plan.expansion import Expansion
from longpole.plan.jobs import Jobs, jobs_of
from longpole.plan.outside import Outside, found_members


def make_plan(workflow: Workflow, placement: Placement, clustering: Clustering | None = None) -> Plan:
    """Return what would happen; files that are not there are planned by their names.

    Args:
        workflow: What is planned.
        placement: Where its data lies.
        clustering: Which tasks are one job; None: as it goes with the placement.

    Raises:
        WorkflowError: Tasks or clusters wait for themselves, or two tasks make one file.
    """
    chosen = clustering or clustering_for(placement, workflow)
    outside = Outside(workflow)
    expansion = Expansion(workflow, found_members(workflow))
    expansion.expand()
    jobs = jobs_of(expansion, Clusters(chosen, expansion, outside.size))
    counting, rules = Counting(expansion, jobs, outside), RULES[placement]
    known = not jobs.unknown_levels
    files, missing = counting.outside_files()
    return Plan(
        workflow=workflow.name,
        placement=placement,
        clustering=chosen,
        tasks=Amount(len(expansion.tasks), exact=not expansion.unexpanded),
        jobs=Amount(len(jobs.groups), exact=known),
        auxiliary_jobs=Amount(auxiliary_jobs(len(set(jobs.levels))), exact=known),
        files_staged_in=counting.files_staged_in(rules),
        brought=counting.brought(rules),
        sent=counting.sent(rules),
        levels=jobs.per_level(),
        types=_types(expansion, jobs),
        unknown_sets=tuple(each.name for each in expansion.unknown_sets),
        outside_files=files,
        missing_files=missing,
    )


def _types(expansion: Expansion, jobs: Jobs) -> tuple[TaskType, ...]:
    types = [_type(name, expansion, jobs) for name in expansion.workflow.templates]
    return tuple(sorted(types, key=lambda each: (expansion.levels[each.name], each.level)))


def _type(name: str, expansion: Expansion, jobs: Jobs) -> TaskType:
    template = expansion.workflow.templates[name]
    numbers = expansion.tasks_of(name)
    tasks = [expansion.tasks[number] for number in numbers]
    unknown = name in expansion.unexpanded
    inputs = [sum(map(len, task.inputs)) for task in tasks]
    outputs = [sum(map(len, task.outputs)) for task in tasks]
    levels = [jobs.levels[jobs.of_task[number]] for number in numbers]
    return TaskType(
        name=name,
        level=min(levels, default=jobs.unknown_levels.get(name, expansion.levels[name])),
        tasks=None if unknown else len(tasks),
        inputs=(min(inputs, default=0), max(inputs, default=0)),
        outputs=(min(outputs, default=0), max(outputs, default=0)),
        makes_many=any(any(task.many) for task in tasks),
        resources=template.resources,
        cluster=template.cluster,
        before=expansion.before[name],
        known_after=_known_after(name, expansion) if unknown else {},
    )


def _known_after(name: str, expansion: Expansion) -> dict[str, tuple[str, ...]]:
    """Return the sets that a template waits for, and the templates that tell their members."""
    unknown = {each.name for each in expansion.unknown_sets} & expansion.sets_of(name)
    return {each: tuple(sorted(expansion.makers_of_set(each))) for each in sorted(unknown)}
