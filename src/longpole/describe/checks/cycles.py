"""Cycles: templates that wait for themselves.

An edge is drawn where one template's input is another's output, by the same pattern, where one needs a set
that another makes, and where one takes another's result. Tasks of one template may follow each other (``{zip:
[before, after]}``) through patterns that differ; whether these go round shows when the tasks are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from longpole.describe.complaints import short
from longpole.model.waiting import set_makers, waits_for
from longpole.model.workflow import Template, Workflow

_SHOWN = 10


def cycle_problems(workflow: Workflow) -> Iterator[str]:
    """Return one cycle, if there is one, and tasks that read what they make."""
    producers = {
        pattern: template.name
        for template in workflow.templates.values()
        for use in template.outputs
        for pattern in use.patterns
    }

    def makers_of(pattern: str) -> tuple[str, ...]:
        return (producers[pattern],) if pattern in producers else ()

    of_sets = set_makers(workflow, makers_of)
    graph: dict[str, set[str]] = {}
    for template in workflow.templates.values():
        graph[template.name] = waits_for(template, makers_of, of_sets)
        if template.name in graph[template.name]:
            yield _itself(workflow, template, producers)
            return
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield _told(workflow, list(reversed(error.args[1])))


def _itself(workflow: Workflow, template: Template, producers: dict[str, str]) -> str:
    for use in template.inputs:
        for pattern in use.patterns:
            if producers.get(pattern) == template.name:
                return (
                    f"{workflow.at(use.line)}Task '{template.name}' reads '{short(pattern)}', which it makes "
                    "itself. If it continues from it, name it under 'checkpoints' alone."
                )
    return (
        f"{workflow.at(template.line)}Task '{template.name}' waits for what it makes itself; take one away."
    )


def _told(workflow: Workflow, cycle: list[str]) -> str:
    lines = [workflow.templates[name].line for name in cycle]
    told = [
        f"'{name}'" + (f" (line {line})" if workflow.file and line else "")
        for name, line in zip(cycle, lines, strict=True)
    ]
    more = f" -> and {len(told) - _SHOWN:,} more" if len(told) > _SHOWN else ""
    return (
        f"{workflow.at(lines[0])}Tasks wait for themselves: {' -> '.join(told[:_SHOWN])}{more}. "
        "Take one of the inputs away."
    )
