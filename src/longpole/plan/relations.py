"""Members of sets as relations: rows of texts under the names of sets, joined where names are the same.

A set whose members belong to those of another (the tiles of each image) has rows of both. The product of such
sets is then their natural join, and for sets that have nothing in common it is the plain product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from longpole.model.workflow import WorkflowError

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows of members under names of sets; no row twice."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]

    def joined(self, other: Relation) -> Relation:
        """Return the rows of both that agree in what both have, in the order of this one."""
        shared = [name for name in other.names if name in self.names]
        added = [place for place, name in enumerate(other.names) if name not in self.names]
        mine = [self.names.index(name) for name in shared]
        found = other.by(shared)
        rows = [
            (*row, *(match[place] for place in added))
            for row in self.rows
            for match in found.get(tuple(row[place] for place in mine), ())
        ]
        return Relation((*self.names, *(other.names[place] for place in added)), tuple(rows))

    def by(self, names: Sequence[str]) -> dict[Row, list[Row]]:
        """Return the rows by their members under some names; both keep their order."""
        chosen = [self.names.index(name) for name in names]
        if not chosen:
            return {(): list(self.rows)} if self.rows else {}
        found: dict[Row, list[Row]] = {}
        for row in self.rows:
            found.setdefault(tuple(row[place] for place in chosen), []).append(row)
        return found

    def members(self) -> Iterable[dict[str, str]]:
        """Yield each row by the names of its sets."""
        return (dict(zip(self.names, row, strict=True)) for row in self.rows)


EVERYTHING = Relation((), ((),))


def product(relations: Iterable[Relation]) -> Relation:
    """Return the join of all; of none, the one row of nothing."""
    every = list(relations)
    return reduce(Relation.joined, every) if every else EVERYTHING


def in_step(relations: Sequence[Relation], where: str) -> Relation:
    """Return sets whose members go in step, the first with the first.

    Sets that belong to the members of another go in step for each of those.

    Raises:
        WorkflowError: They have different numbers of members.

    Examples:
        >>> in_step([Relation(("a",), (("1",), ("2",))), Relation(("b",), (("x",), ("y",)))], "").rows
        (('1', 'x'), ('2', 'y'))
    """
    return reduce(lambda one, other: _two_in_step(one, other, where), relations)


def _two_in_step(one: Relation, other: Relation, where: str) -> Relation:
    shared = [name for name in one.names if name in other.names]
    mine, theirs = one.by(shared), other.by(shared)
    added = [place for place, name in enumerate(other.names) if name not in one.names]
    rows: list[Row] = []
    for key in {**mine, **theirs}:
        left, right = mine.get(key, []), theirs.get(key, [])
        if len(left) != len(right):
            raise _out_of_step(
                (one, len(left)), (other, len(right)), dict(zip(shared, key, strict=True)), where
            )
        rows += [(*a, *(b[place] for place in added)) for a, b in zip(left, right, strict=True)]
    return Relation((*one.names, *(other.names[place] for place in added)), tuple(rows))


def _out_of_step(
    one: tuple[Relation, int], other: tuple[Relation, int], shared: Mapping[str, str], where: str
) -> WorkflowError:
    counts = ", ".join(f"'{relation.names[-1]}' has {count:,}" for relation, count in (one, other))
    of = "".join(f" of {name} '{member}'" for name, member in shared.items())
    return WorkflowError(f"{where}Sets that go in step need the same number of members, but {counts}{of}.")
