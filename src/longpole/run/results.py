"""Which files of a workflow its user wants in the end, and which somebody outside a cluster uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from longpole.model.patterns import fill, matcher, places
from longpole.model.workflow import Workflow

Wanted = Callable[[str], bool]


def wanted_results(workflow: Workflow) -> Wanted:
    """Return what says whether a file is a result: as described, else whatever no task uses."""
    if workflow.results:
        return _named(workflow, workflow.results)
    used = _named(workflow, _inputs(workflow, lambda _: True))
    return lambda name: not used(name)


def plain_results(workflow: Workflow) -> list[str]:
    """Return the results whose names are known before anything runs."""
    wanted = wanted_results(workflow)
    return [name for name in _plain_outputs(workflow) if wanted(name)]


def wanted_outside(workflow: Workflow, label_of: Callable[[str], str]) -> Callable[[str, str], bool]:
    """Return what says whether a file of a cluster, by its label, is used outside it or is a result."""
    results = wanted_results(workflow)
    known: dict[str, Wanted] = {}

    def wanted(label: str, name: str) -> bool:
        if label not in known:
            known[label] = _named(workflow, _inputs(workflow, lambda template: label_of(template) != label))
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


def _named(workflow: Workflow, patterns: Iterable[str]) -> Wanted:
    """Return what says whether some patterns name a file: by themselves, or for members of their sets."""
    plain: set[str] = set()
    others: dict[str, Wanted] = {}
    for pattern in patterns:
        if places(pattern):
            others[pattern] = _for_members(workflow, pattern)
        else:
            plain.add(fill(pattern, {}))
    return lambda name: name in plain or any(fits(name) for fits in others.values())


def _for_members(workflow: Workflow, pattern: str) -> Wanted:
    """Return what says whether a pattern names a file for members of its sets, as far as these are known.

    ``total.txt`` fits ``{part}.txt``, and is none of the parts if that is no member, or if the parts are told
    from what is made under the pattern while it is made under its own name.
    """
    fits = matcher(pattern)
    listed = {name: workflow.sets[name].listed for name in places(pattern) if name in workflow.sets}
    known = {name: frozenset(members) for name, members in listed.items() if members is not None}
    told = any(each.made == pattern for each in workflow.sets.values())
    apart = frozenset(_plain_outputs(workflow)) if told else frozenset[str]()

    def names(name: str) -> bool:
        found = fits.fullmatch(name)
        return found is not None and name not in apart and all(found[at] in known[at] for at in known)

    return names


def _plain_outputs(workflow: Workflow) -> Iterable[str]:
    return (
        fill(pattern, {})
        for template in workflow.templates.values()
        for uses in template.outputs
        for pattern in uses.patterns
        if not places(pattern)
    )
