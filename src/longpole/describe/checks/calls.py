"""Results as arguments: whether there is a function that returns them."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.describe.complaints import choices, short
from longpole.model.call_arguments import results_in
from longpole.model.workflow import Workflow


def call_problems(workflow: Workflow) -> Iterator[str]:
    """Return what is wrong with results that functions are given."""
    for template in workflow.templates.values():
        for name in results_in(template.call) if template.call else ():
            here = f"{workflow.at(template.line)}Task '{template.name}': "
            if name not in workflow.templates:
                there = choices(name, workflow.templates)
                yield f"{here}There is no task '{short(name)}' to give a result; {there}"
            elif workflow.templates[name].call is None:
                yield f"{here}'{name}' is a command, which returns nothing; take a file of it as an input."
