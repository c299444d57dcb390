"""Rows of a table of phases: which are of what kind, and which are of which process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from longpole.model.columns import Column, Columns

Marks = NDArray[np.bool_]
Whole = NDArray[np.int64]


def of_kind(phases: Columns, *kinds: str) -> Marks:
    """Return which phases are of one of these kinds."""
    return holding(phases["kind"], lambda word: word in kinds)


def holding(column: Column, wanted: Callable[[str], bool]) -> Marks:
    """Return which rows of a column of text hold a wanted word; each word is looked at once."""
    chosen = np.array([wanted(word) for word in column.words or ()], np.bool_)
    found: Marks = chosen[np.asarray(column.values)] & known(column)
    return found


def known(column: Column) -> Marks:
    """Return which rows of a column are known."""
    if column.known is None:
        return np.ones(len(column), np.bool_)
    found: Marks = np.asarray(column.known) != 0
    return found


def numbers(column: Column, unknown: int = 0) -> Whole:
    """Return a column of whole numbers, with something in place of those that are not known."""
    found: Whole = np.where(known(column), np.asarray(column.values), unknown).astype(np.int64)
    return found


def by_process(phases: Columns) -> Iterator[tuple[int, Whole]]:
    """Yield each process and its rows, which keep their order."""
    owners = np.asarray(phases["process"].values)
    order = np.argsort(owners, kind="stable")
    changes = np.flatnonzero(np.diff(owners[order])) + 1
    for rows in np.split(order, changes):
        if len(rows):
            yield int(owners[rows[0]]), rows


def in_order(processes: Iterable[int], ranks: Mapping[int | None, int | None]) -> list[int]:
    """Return processes by rank, those without one last."""
    return sorted(processes, key=lambda one: (ranks.get(one) is None, ranks.get(one) or 0, one))
