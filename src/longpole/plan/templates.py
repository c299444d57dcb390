"""Which template makes what another one uses: the graph of a workflow before any of its tasks is known.

Method: an input that is spelt as an output is made by it, whatever its places are called; a plain name is
made by the template whose pattern it matches; a pattern may also match plain names of outputs. What nobody
makes comes from outside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from longpole.errors import CyclicGraphError
from longpole.model.patterns import matcher, places
from longpole.model.workflow import Call, Result, Template, Uses, Workflow


class Makers:
    """Who makes the files of a workflow, by name and by pattern."""

    def __init__(self, workflow: Workflow) -> None:
        """Look at all outputs once."""
        self._plain: dict[str, str] = {}
        self._shapes: dict[str, str] = {}
        self._patterns: list[tuple[str, str]] = []
        for template in workflow.templates.values():
            for pattern in _all(template.outputs):
                self._take(pattern, template.name)
        self._matchers = [(matcher(pattern), maker) for pattern, maker in self._patterns]
        self._of_name: dict[str, str | None] = {}

    def of(self, pattern: str) -> set[str]:
        """Return the names of templates that make files of a pattern."""
        if not places(pattern):
            maker = self.of_name(pattern)
            return {maker} if maker else set()
        shape = self._shapes.get(_shape(pattern))
        if shape is not None:
            return {shape}
        fits = matcher(pattern)
        return {maker for name, maker in self._plain.items() if fits.match(name)}

    def of_name(self, name: str) -> str | None:
        """Return the template that makes a file, if one does."""
        if name in self._plain:
            return self._plain[name]
        if name not in self._of_name:
            found = (maker for fits, maker in self._matchers if fits.match(name))
            self._of_name[name] = next(found, None)
        return self._of_name[name]

    def _take(self, pattern: str, maker: str) -> None:
        if places(pattern):
            self._shapes[_shape(pattern)] = maker
            self._patterns.append((pattern, maker))
        else:
            self._plain[pattern] = maker


def after(workflow: Workflow, makers: Makers) -> dict[str, tuple[str, ...]]:
    """Return for each template those whose tasks come before its own."""
    set_makers = {each.name: makers.of(each.made) for each in workflow.sets.values() if each.made}
    return {
        name: tuple(sorted(_before(template, makers, set_makers)))
        for name, template in workflow.templates.items()
    }


def in_order(before: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the templates such that each comes behind those it waits for, else as they are described.

    Raises:
        CyclicGraphError: Some wait for themselves.
    """
    waiting = {name: set(names) for name, names in before.items()}
    behind: dict[str, list[str]] = {}
    for name, names in waiting.items():
        for earlier in names:
            behind.setdefault(earlier, []).append(name)
    ready = deque(name for name, names in waiting.items() if not names)
    found = []
    while ready:
        found.append(name := ready.popleft())
        for later in behind.get(name, ()):
            waiting[later].discard(name)
            if not waiting[later]:
                ready.append(later)
    if len(found) < len(waiting):
        raise _cycle({name: names for name, names in waiting.items() if names})
    return found


def levels(before: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return how many others come one after another before each template, counted from 1."""
    found: dict[str, int] = {}
    for name in in_order(before):
        found[name] = 1 + max((found[earlier] for earlier in before[name]), default=0)
    return found


def results_of(call: Call | None) -> list[str]:
    """Return the templates whose results a call takes."""
    if call is None:
        return []
    values = (*call.arguments, *call.keywords.values())
    return [value.template for value in values if isinstance(value, Result)]


def _before(template: Template, makers: Makers, set_makers: Mapping[str, set[str]]) -> set[str]:
    found = set(results_of(template.call))
    for pattern in _all(template.inputs):
        found |= makers.of(pattern)
        found |= {maker for place in places(pattern) for maker in set_makers.get(place, ())}
    for name in template.sets:
        found |= set_makers.get(name, set())
    return found


def _all(uses: Iterable[Uses]) -> Iterable[str]:
    return (pattern for each in uses for pattern in each.patterns)


def _shape(pattern: str) -> str:
    """Return a pattern with places that have no names."""
    for place in places(pattern):
        pattern = pattern.replace(f"{{{place}}}", "{}")
    return pattern


def _cycle(waiting: Mapping[str, set[str]]) -> CyclicGraphError:
    """Return an error that names one cycle."""
    path: list[str] = [next(iter(waiting))]
    while True:
        after_it = next(name for name in sorted(waiting[path[-1]]) if name in waiting)
        if after_it in path:
            names = path[path.index(after_it) :][::-1]
            return CyclicGraphError(list(range(len(names))), names)
        path.append(after_it)
