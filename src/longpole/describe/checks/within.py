"""Sets within another: whether that set is there, and has the members that theirs belong to."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.describe.complaints import choices, short
from longpole.model.workflow import NamedSet, Workflow


def within_problems(workflow: Workflow) -> Iterator[str]:
    """Return what is wrong with sets whose members belong to those of another."""
    for each in workflow.sets.values():
        if each.within:
            for what in _problems(workflow, each):
                yield f"{workflow.at(each.line)}Set '{each.name}': {what}"


def _problems(workflow: Workflow, each: NamedSet) -> Iterator[str]:
    if each.within not in workflow.sets:
        yield f"There is no set '{short(each.within)}'; {choices(each.within, workflow.sets)}"
        return
    owners = workflow.sets[each.within].listed
    for owner in each.grouped or () if owners is not None else ():
        if owner not in (owners or ()):
            yield f"'{short(owner)}' is no member of '{each.within}'; {choices(owner, owners or ())}"
