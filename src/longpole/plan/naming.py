"""The names of the files of a task: a pattern for the members it is for, and for all others of its sets.

Method: the rows of the sets that a task is not fanned out over are looked up by the members that it has, once
for each of these. Tasks whose members do not matter to a pattern share one tuple of names. Members of a place
whose set is not known stay open: such a pattern has no names, and is told apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longpole.model.patterns import fill, fill_some, matcher, places
from longpole.model.workflow import NamedSet, Uses
from longpole.plan.relations import Relation, Row, product

Names = tuple[str, ...]


class Namer:
    """Tells the files of one input or output for the members of a task."""

    def __init__(self, uses: Uses, known: Mapping[str, Relation], bound: Iterable[str]) -> None:
        """Take the sets that are known, and those that the task has members of."""
        self._patterns = [_Pattern(pattern, known, tuple(bound)) for pattern in uses.patterns]
        self._relevant = tuple(dict.fromkeys(name for each in self._patterns for name in each.relevant))
        self._open = [each.text for each in self._patterns if each.is_open]
        self._found: dict[Row, Names] = {}

    def __call__(self, members: Mapping[str, str]) -> Names:
        """Return the names for these members."""
        key = tuple(members[name] for name in self._relevant)
        names = self._found.get(key)
        if names is None:
            closed = (each for each in self._patterns if not each.is_open)
            every = (name for each in closed for name in each.names(members))
            names = self._found[key] = tuple(dict.fromkeys(every))
        return names

    def open(self, members: Mapping[str, str]) -> Names:
        """Return the patterns that have places of sets nobody knows, those of these members filled."""
        return tuple([fill_some(text, members) for text in self._open]) if self._open else ()


class _Pattern:
    """One pattern, and the rows of those sets in it that a task has no member of."""

    def __init__(self, pattern: str, known: Mapping[str, Relation], bound: Names) -> None:
        self.text = pattern
        named = places(pattern)
        self.is_open = not all(name in known or name in bound for name in named)
        free = product(known[name] for name in named if name in known and name not in bound)
        self._names = free.names
        self._given = tuple(name for name in free.names if name in bound)
        self._rows = free.by(self._given) if free.names else None
        self.relevant = tuple(dict.fromkeys([*(name for name in named if name in bound), *self._given]))

    def names(self, members: Mapping[str, str]) -> list[str]:
        if self._rows is None:
            return [fill(self.text, members)]
        rows = self._rows.get(tuple(members[name] for name in self._given), ())
        if places(self.text) == self._names[-1:]:  # thousands of names, most often
            return [fill(self.text, {self._names[-1]: row[-1]}) for row in rows]
        return [fill(self.text, {**members, **dict(zip(self._names, row, strict=True))}) for row in rows]


def matching(named: NamedSet, pattern: str, files: Iterable[str]) -> Relation:
    """Return the members of a set as the names of files tell them, in their order, each once."""
    fits = matcher(pattern)
    names = (*(place for place in places(pattern) if place != named.name), named.name)
    rows: dict[Row, None] = {}
    for file in files:
        match = fits.fullmatch(file)
        if match is not None:
            rows[tuple(match[name] for name in names)] = None
    return Relation(names, tuple(rows))


def listed(named: NamedSet) -> Relation | None:
    """Return the members of a set that are known beforehand; None if they are not."""
    if named.grouped is not None:
        rows = ((owner, member) for owner, members in named.grouped.items() for member in members)
        return Relation((named.within, named.name), tuple(dict.fromkeys(rows)))
    if named.values is None:
        return None
    return Relation((named.name,), tuple((value,) for value in dict.fromkeys(named.values)))
