"""What a workflow turned out to be as a plan: told in the log when it is over, so that runs can be compared.

A plan that is made before a run may not know how many tasks there are; here all of them are known, or nothing
is told. Files are counted by the rule of ``plan.counting``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from longpole.model.plan import Rules
from longpole.model.workflow import WorkflowError
from longpole.plan.clusters import Group
from longpole.plan.counting import Counting, auxiliary_jobs
from longpole.plan.expansion import Expansion
from longpole.plan.jobs import Jobs
from longpole.plan.outside import Outside
from longpole.run.jobs import Graph
from longpole.store.derive.workflow_notes import Outline
from longpole.units import Bytes

_UNKNOWN = -1


def sizes_of(names: Iterable[str], outside: Outside) -> dict[str, Bytes]:
    """Return how large files are, those of which it is known."""
    sizes = {name: outside.size(name) for name in names}
    return {name: size for name, size in sizes.items() if size is not None}


def outline_of(graph: Graph, expansion: Expansion, rules: Rules, outside: Outside) -> Outline | None:
    """Return what the workflow was; None if not all of its tasks came to be known, or a name cannot be."""
    if expansion.unexpanded:
        return None
    try:
        return _counted(graph, expansion, rules, outside)
    except WorkflowError:
        return None  # a task has failed for that, and its user was told


def _counted(graph: Graph, expansion: Expansion, rules: Rules, outside: Outside) -> Outline:
    groups = tuple(Group(job.label, tuple(job.tasks)) for job in graph.jobs)
    levels = tuple(job.level for job in graph.jobs)
    counting = Counting(expansion, Jobs(groups, tuple(graph.job_of), levels, {}), outside)
    images = {template.image for template in expansion.workflow.templates.values() if template.image}
    return Outline(
        jobs=len(groups),
        auxiliary=auxiliary_jobs(len(set(levels))),
        staged_in=counting.files_staged_in(rules).at_least,
        input_files=len(expansion.outside),
        input_bytes=_size(outside, expansion.outside),
        images=len(images),
        image_bytes=_size(outside, images),
        connections=rules.connections,
    )


def _size(outside: Outside, names: Collection[str]) -> Bytes:
    """Return how large files are together; -1 if one of them is not known."""
    known = sizes_of(names, outside)
    return sum(known.values()) if len(known) == len(names) else _UNKNOWN
