"""Sets that tasks are fanned out over, and whether that gives tasks at all."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.describe.complaints import choices, short
from longpole.model.patterns import places
from longpole.model.workflow import Template, Workflow


def fan_out_problems(workflow: Workflow) -> Iterator[str]:
    """Return what is wrong with ``for_each``."""
    for template in workflow.templates.values():
        if template.for_each:
            for what in _problems(workflow, template):
                yield f"{workflow.at(template.line)}Task '{template.name}': for_each: {what}"


def _problems(workflow: Workflow, template: Template) -> Iterator[str]:
    sets, seen = workflow.sets, set[str]()
    for name in template.sets:
        if name not in sets:
            yield f"There is no set '{short(name)}'; {choices(name, sets)}"
        if name in seen:
            yield f"The set '{short(name)}' is there twice; keep one."
        seen.add(name)
    for group in template.for_each:
        yield from _steps(workflow, group)
    for name in template.sets:
        made = sets[name].made if name in sets else ""
        for other in places(made):
            if other not in seen:
                yield f"Members of '{name}' belong to those of '{other}' ('{short(made)}'); add that too."


def _steps(workflow: Workflow, group: tuple[str, ...]) -> Iterator[str]:
    """Check sets that go in step."""
    if not group:
        yield "'zip' takes names of two sets or more."
    counts = {name: len(workflow.sets[name].values or ()) for name in group if _is_known(workflow, name)}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"'{name}' has {count:,}" for name, count in counts.items())
        yield f"Sets that go in step need equally many members; {told}."


def _is_known(workflow: Workflow, name: str) -> bool:
    return name in workflow.sets and workflow.sets[name].values is not None
