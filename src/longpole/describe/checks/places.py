"""Places in patterns: each must be a set's, and in an output one that tells the task's files apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from longpole.describe.complaints import choices, short
from longpole.model.command_line import bare_places
from longpole.model.patterns import places
from longpole.model.workflow import Template, Uses, Workflow


def place_problems(workflow: Workflow) -> Iterator[str]:
    """Return what is wrong with places."""
    for each in workflow.sets.values():
        yield from _unknown(workflow, (each.glob, each.made), f"{workflow.at(each.line)}Set '{each.name}': ")
    for template in workflow.templates.values():
        yield from _task(workflow, template)
    yield from _unknown(workflow, workflow.results, f"{workflow.at(workflow.results_line)}results: ")


def _task(workflow: Workflow, template: Template) -> Iterator[str]:
    for use in (*template.inputs, *template.outputs):
        yield from _unknown(workflow, use.patterns, f"{workflow.at(use.line)}Task '{template.name}': ")
    made = {pattern for use in template.outputs for pattern in use.patterns}
    for use in template.outputs:
        yield from _of_output(workflow, template, use, made)
    here = f"{workflow.at(template.line)}Task '{template.name}': "
    for name in (*template.code, template.program):
        for place in places(name):
            yield f"{here}'{short(name)}' has a place {{{place}}}, and no parameter is called so."
    for pattern in (*template.checkpoints, *template.unfinished, template.cluster):
        for place in places(pattern):
            if place not in template.sets:
                yield f"{here}'{short(pattern)}' has a place {{{place}}}, and for_each has no such set."
    yield from _in_command(workflow, template, here)


def _in_command(workflow: Workflow, template: Template, here: str) -> Iterator[str]:
    """Find members that the command names and that the task has none of."""
    if not workflow.sets or "{" not in template.command:
        return
    own = {*template.sets, *(use.name for use in (*template.inputs, *template.outputs))}
    for place in bare_places(template.command):
        if place in workflow.sets and place not in own:
            yield (
                f"{here}the command names a member of '{place}', and the task is not fanned out over it. "
                f"Add '{place}' to for_each, or name the files that you mean."
            )


def _unknown(workflow: Workflow, patterns: Iterable[str], here: str) -> Iterator[str]:
    for pattern in patterns:
        for place in places(pattern):
            if place not in workflow.sets:
                names = [
                    *workflow.sets,
                    *(name for name, value in workflow.parameters.items() if isinstance(value, str)),
                ]
                yield (
                    f"{here}'{short(pattern)}' has a place {{{place}}}, and there is no such set or "
                    f"parameter; {choices(place, names)}"
                )


def _of_output(workflow: Workflow, template: Template, use: Uses, made: set[str]) -> Iterator[str]:
    here = f"{workflow.at(use.line)}Task '{template.name}': "
    for pattern in use.patterns:
        there = places(pattern)
        apart = {*there, *(workflow.sets[place].within for place in there if place in workflow.sets)}
        for place in there:
            if (
                place in workflow.sets
                and place not in template.sets
                and workflow.sets[place].made
                and workflow.sets[place].made not in made
            ):
                yield (
                    f"{here}the output '{short(pattern)}' has a place {{{place}}}, and the task is neither "
                    f"fanned out over '{place}' nor makes that set. Add '{place}' to for_each."
                )
        for group in template.for_each:
            if not set(group) & apart:
                yield (
                    f"{here}the output '{short(pattern)}' is one file, and the task runs for each "
                    f"'{group[0]}': its tasks would overwrite each other. Put {{{group[0]}}} into the name."
                )
