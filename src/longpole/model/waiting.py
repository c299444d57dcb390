"""Which templates a template waits for: those whose results, files or sets its own tasks need.

Who makes the files of a pattern is for the caller to say: as spelt, or by what else may match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from longpole.model.call_arguments import comes_after
from longpole.model.patterns import places
from longpole.model.workflow import Template, Workflow

MakersOf = Callable[[str], Iterable[str]]
"""Returns the names of the templates that make files of a pattern."""


def set_makers(workflow: Workflow, makers_of: MakersOf) -> dict[str, frozenset[str]]:
    """Return for each set that tasks make, by its name, the templates that do."""
    return {each.name: frozenset(makers_of(each.made)) for each in workflow.sets.values() if each.made}


def waits_for(template: Template, makers_of: MakersOf, of_sets: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the names of the templates whose tasks come before those of a template.

    Args:
        template: It may be among them itself.
        makers_of: Tells who makes the files of a pattern.
        of_sets: What ``set_makers`` returns.
    """
    found = set(comes_after(template))
    needed = set(template.sets)
    for uses in template.inputs:
        for pattern in uses.patterns:
            found.update(makers_of(pattern))
            needed.update(places(pattern))
    return found.union(*(of_sets[name] for name in needed if name in of_sets))
