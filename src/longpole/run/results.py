"""Which files of a workflow its user wants in the end, and which somebody outside a cluster uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from longpole.model.patterns import fill, matcher, places
from longpole.model.workflow import Workflow

Wanted = Callable[[str], bool]


def wanted_results(workflow: Workflow) -> Wanted:
    """Return what says whether a file is a result: as described, else whatever no task uses."""
    if workflow.results:
        return _matching(workflow.results)
    used = _matching(_inputs(workflow, lambda _: True))
    return lambda name: not used(name)


def wanted_outside(workflow: Workflow, label_of: Callable[[str], str]) -> Callable[[str, str], bool]:
    """Return what says whether a file of a cluster, by its label, is used outside it or is a result."""
    results = wanted_results(workflow)
    known: dict[str, Wanted] = {}

    def wanted(label: str, name: str) -> bool:
        if label not in known:
            known[label] = _matching(_inputs(workflow, lambda template: label_of(template) != label))
        return results(name) or known[label](name)

    return wanted


def _inputs(workflow: Workflow, chosen: Callable[[str], bool]) -> Iterable[str]:
    return (
        pattern
        for template in workflow.templates.values()
        if chosen(template.name)
        for uses in template.inputs
        for pattern in uses.patterns
    )


def _matching(patterns: Iterable[str]) -> Wanted:
    plain: set[str] = set()
    others = {}
    for pattern in patterns:
        if places(pattern):
            others[pattern] = matcher(pattern)
        else:
            plain.add(fill(pattern, {}))
    return lambda name: name in plain or any(fits.fullmatch(name) for fits in others.values())
