"""Tasks that others name: whether they are there, and return what they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.describe.complaints import choices, short
from longpole.model.call_arguments import results_in
from longpole.model.workflow import Workflow


def call_problems(workflow: Workflow) -> Iterator[str]:
    """Return what is wrong with tasks that come before others, and with results that functions are given."""
    for template in workflow.templates.values():
        for name in template.after:
            if name not in workflow.templates:
                there = choices(name, workflow.templates)
                here = f"{workflow.at(template.line)}Task '{template.name}': "
                yield f"{here}There is no task '{short(name)}' to come after; {there}"
        for name in results_in(template.call) if template.call else ():
            here = f"{workflow.at(template.line)}Task '{template.name}': "
            if name not in workflow.templates:
                there = choices(name, workflow.templates)
                yield f"{here}There is no task '{short(name)}' to give a result; {there}"
            elif workflow.templates[name].call is None:
                yield f"{here}'{name}' is a command, which returns nothing; take a file of it as an input."
