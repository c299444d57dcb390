"""Members of sets as relations: rows of texts under the names of sets, joined where names are the same.

A set whose members belong to those of another (the tiles of each image) has rows of both. The product of such
sets is then their natural join, and for sets that have nothing in common it is the plain product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from longpole.model.workflow import WorkflowError


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows of members under names of sets; no row twice."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def joined(self, other: Relation) -> Relation:
        """Return the rows of both that agree in what both have, in the order of this one."""
        shared = [name for name in other.names if name in self.names]
        added = [place for place, name in enumerate(other.names) if name not in self.names]
        mine = [self.names.index(name) for name in shared]
        theirs = [other.names.index(name) for name in shared]
        found: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for row in other.rows:
            key = tuple(row[place] for place in theirs)
            found.setdefault(key, []).append(tuple(row[place] for place in added))
        rows = [
            (*row, *rest) for row in self.rows for rest in found.get(tuple(row[place] for place in mine), ())
        ]
        return Relation((*self.names, *(other.names[place] for place in added)), tuple(rows))

    def members(self) -> Iterable[dict[str, str]]:
        """Yield each row by the names of its sets."""
        return (dict(zip(self.names, row, strict=True)) for row in self.rows)


EVERYTHING = Relation((), ((),))


def product(relations: Iterable[Relation]) -> Relation:
    """Return the join of all; of none, the one row of nothing."""
    return reduce(Relation.joined, relations, EVERYTHING)


def in_step(relations: Sequence[Relation], where: str) -> Relation:
    """Return sets whose members go in step, the first with the first.

    Raises:
        WorkflowError: They have different numbers of members.

    Examples:
        >>> in_step([Relation(("a",), (("1",), ("2",))), Relation(("b",), (("x",), ("y",)))], "").rows
        (('1', 'x'), ('2', 'y'))
    """
    if len({len(relation.rows) for relation in relations}) > 1:
        counts = ", ".join(f"'{each.names[-1]}' has {len(each.rows):,}" for each in relations)
        raise WorkflowError(f"{where}Sets that go in step need the same number of members, but {counts}.")
    names = tuple(name for relation in relations for name in relation.names)
    rows = zip(*(relation.rows for relation in relations), strict=True)
    return Relation(names, tuple(tuple(cell for part in row for cell in part) for row in rows))


def agreeing(relation: Relation, members: Mapping[str, str]) -> Relation:
    """Return the rows that agree with members that are chosen already."""
    chosen = [(place, members[name]) for place, name in enumerate(relation.names) if name in members]
    if not chosen:
        return relation
    rows = (row for row in relation.rows if all(row[place] == member for place, member in chosen))
    return Relation(relation.names, tuple(rows))
