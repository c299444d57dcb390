"""Names that a command could read in two ways."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.describe.complaints import short
from longpole.model.workflow import Template, Workflow

_PROGRAM = "program"


def naming_problems(workflow: Workflow) -> Iterator[str]:
    """Return what is called as something else is."""
    for name, each in workflow.sets.items():
        if name in workflow.parameters:
            yield f"{workflow.at(each.line)}The set '{name}' is called as a parameter is; rename one."
    for template in workflow.templates.values():
        yield from _in_commands(workflow, template)
    name = workflow.name
    if "\n" in name or "\0" in name or not name.strip():
        yield f"{workflow.at(0)}'{short(name)}' is no name for a workflow: it is empty or has a line break."


def _in_commands(workflow: Workflow, template: Template) -> Iterator[str]:
    taken = dict.fromkeys(template.sets, "a set that the task is fanned out over")
    if template.program:
        taken[_PROGRAM] = "the program"
    for use in (*template.inputs, *template.outputs):
        if not use.name:
            continue
        other = taken.get(use.name) or ("a parameter" if use.name in workflow.parameters else "")
        if other:
            yield (
                f"{workflow.at(use.line)}Task '{template.name}': '{use.name}' names files and {other}; "
                f"{{{use.name}}} in the command could be either. Rename one."
            )
        taken[use.name] = "other files"
