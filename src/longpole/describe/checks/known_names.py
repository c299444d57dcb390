"""Names that a pattern stands for where every member is known beforehand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from longpole.model.patterns import fill, places
from longpole.model.workflow import Template, Workflow


def known_names(workflow: Workflow, template: Template, pattern: str, most: int) -> Iterator[str]:
    """Return the names of one of a task's patterns, each task's once; none if they are unknown or too many.

    Sets that go in step in ``for_each`` go in step here; a set that is not in ``for_each`` counts in full.
    """
    wanted = places(pattern)
    if not wanted:
        if not template.for_each and most > 0:
            yield fill(pattern, {})
        return
    groups = [group for group in template.for_each if set(group) & set(wanted)]
    groups += [(name,) for name in wanted if name not in template.sets]
    if any(workflow.sets[name].within in wanted for name in wanted):
        return  # members of one go with some of the other alone
    steps = [_steps(workflow, group) for group in groups]
    if any(step is None for step in steps) or math.prod(len(step or ()) for step in steps) > most:
        return
    for chosen in product(*(step or () for step in steps)):
        yield fill(pattern, {name: member for members in chosen for name, member in members})


def _steps(workflow: Workflow, group: tuple[str, ...]) -> list[tuple[tuple[str, str], ...]] | None:
    """Return the members of each set of a group, step by step; None if they are not known."""
    columns = []
    for name in group:
        values = workflow.sets[name].listed
        if values is None:
            return None
        columns.append([(name, value) for value in values])
    return list(zip(*columns, strict=False))
