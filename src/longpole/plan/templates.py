"""Which template makes what another one uses: the graph of a workflow before any of its tasks is known.

Method: an input that is spelt as an output is made by it, whatever its places are called; a plain name is
made by the template whose pattern it matches; a pattern may also match plain names of outputs. What nobody
makes comes from outside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from longpole.model.patterns import doubled, fill, matcher, parse, places
from longpole.model.waiting import set_makers, waits_for
from longpole.model.workflow import NamedSet, Template, Uses, Workflow, WorkflowError

Key = TypeVar("Key", int, str)
# So many of a cycle are named.
_SHOWN = 5


class Made(NamedTuple):
    """Who makes a name by a pattern, and for which members."""

    template: str
    members: Mapping[str, str]


class Makers:
    """Who makes the files of a workflow, by name and by pattern."""

    def __init__(self, workflow: Workflow) -> None:
        """Look at all outputs once."""
        self._sets = workflow.sets
        self._told = {each.made for each in workflow.sets.values()}
        self._plain: dict[str, str] = {}
        self._shapes: dict[str, set[str]] = {}
        self._patterns: list[_Pattern] = []
        for template in workflow.templates.values():
            for pattern in _all(template.outputs):
                self._take(pattern, template.name)
        self._of_name: dict[str, Made | None] = {}

    def of(self, pattern: str) -> set[str]:
        """Return the names of templates that make files of a pattern.

        Where a set is told from it, those are its files that are made under it: a plain output that happens
        to fit, ``total.txt`` beside ``{part}.txt``, is none of them.
        """
        if not places(pattern):
            made = self.of_name(fill(pattern, {}))
            return {made.template} if made else set()
        if pattern in self._told:
            return self._shapes.get(_shape(pattern), set())
        used = _Pattern(pattern, "", self._sets)
        plain = {maker for name, maker in self._plain.items() if used.made(name)}
        return plain | self._shapes.get(_shape(pattern), set())

    def of_name(self, name: str) -> Made | None:
        """Return the template that makes a file, if one does, and the members in its name."""
        if name in self._plain:
            return Made(self._plain[name], {})
        if name not in self._of_name:
            found = (pattern.made(name) for pattern in self._patterns)
            self._of_name[name] = next((made for made in found if made), None)
        return self._of_name[name]

    def _take(self, pattern: str, maker: str) -> None:
        if places(pattern):
            self._shapes.setdefault(_shape(pattern), set()).add(maker)
            self._patterns.append(_Pattern(pattern, maker, self._sets))
        else:
            self._plain[fill(pattern, {})] = maker


class _Pattern:
    """A pattern: which names it has, as far as the members of its sets are known beforehand."""

    def __init__(self, pattern: str, maker: str, sets: Mapping[str, NamedSet]) -> None:
        self._maker, self._fits = maker, matcher(pattern)
        listed = {name: sets[name].listed for name in places(pattern) if name in sets}
        self._listed = {name: frozenset(members) for name, members in listed.items() if members is not None}

    def made(self, name: str) -> Made | None:
        match = self._fits.fullmatch(name)
        if match is None or any(match[place] not in members for place, members in self._listed.items()):
            return None
        return Made(self._maker, match.groupdict())


def after(workflow: Workflow, makers: Makers) -> dict[str, tuple[str, ...]]:
    """Return for each template those whose tasks come before its own.

    A template may be among its own: its tasks follow each other, if it uses files that are spelt like those
    it makes with other places, ``step/{before}`` and ``step/{after}``. Where both are alike it is a circle.

    Raises:
        WorkflowError: Some wait for themselves.
    """
    of_sets = set_makers(workflow, makers.of)
    found = {}
    for name, template in workflow.templates.items():
        _refuse_own(template)
        found[name] = tuple(sorted(waits_for(template, makers.of, of_sets)))
    in_order(others(found))
    return found


def others(before: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return for each template the other ones that come before it."""
    return {name: tuple(one for one in names if one != name) for name, names in before.items()}


def in_order(before: Mapping[Key, Iterable[Key]], called: Callable[[Key], str] = str) -> list[Key]:
    """Return templates, or what else waits for each other, such that each comes behind those it waits for.

    Args:
        before: For each, those that it waits for.
        called: What a message calls one.

    Raises:
        WorkflowError: Some wait for themselves.
    """
    waiting = {name: {one for one in names if one in before} for name, names in before.items()}
    behind: dict[Key, list[Key]] = {}
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
        cycle = _cycle({name: names for name, names in waiting.items() if names})
        raise WorkflowError(_told([called(name) for name in cycle]))
    return found


def levels(before: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return how many others come one after another before each template, counted from 1."""
    found: dict[str, int] = {}
    for name in in_order(before):
        found[name] = 1 + max((found[earlier] for earlier in before[name]), default=0)
    return found


def _refuse_own(template: Template) -> None:
    made = set(_all(template.outputs))
    for pattern in _all(template.inputs):
        if pattern in made:
            raise WorkflowError(f"'{template.name}' waits for itself: it uses what it makes, '{pattern}'.")


def _all(uses: Iterable[Uses]) -> Iterable[str]:
    return (pattern for each in uses for pattern in each.patterns)


def _shape(pattern: str) -> str:
    """Return a pattern with places that have no names."""
    return "{}".join(map(doubled, parse(pattern).literals))


def _cycle(waiting: Mapping[Key, set[Key]]) -> list[Key]:
    """Return those of one cycle, each behind the one that it waits for."""
    path = {next(iter(waiting)): None}
    while True:
        last = next(reversed(path))
        earlier = next(name for name in sorted(waiting[last]) if name in waiting)
        if earlier in path:
            every = list(path)
            return every[every.index(earlier) :][::-1]
        path[earlier] = None


def _told(names: list[str]) -> str:
    if len(names) == 1:
        return f"'{names[0]}' waits for itself."
    some = " -> ".join(f"'{name}'" for name in names[:_SHOWN])
    more = f" -> {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"Each of these waits for the one before it, in a circle: {some}{more} -> '{names[0]}'."
