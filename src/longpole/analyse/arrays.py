"""Columns as numpy arrays, and arrays as columns; nothing is copied that need not be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from longpole.model.columns import Column

Whole = NDArray[np.int64]
Numbers = NDArray[np.float64]
Marks = NDArray[np.bool_]
NANOSECONDS = 1e9


def whole(column: Column) -> Whole:
    """Return a column of integers, or the places of a column's words."""
    return np.asarray(column.values).astype(np.int64, copy=False)


def numbers(column: Column) -> Numbers:
    """Return a column of numbers, NaN where it is not known."""
    values = np.asarray(column.values).astype(np.float64, copy=False)
    return values if column.known is None else np.where(known(column), values, np.nan)


def known(column: Column) -> Marks:
    """Return which rows are known."""
    if column.known is None:
        return np.ones(len(column), np.bool_)
    return np.asarray(column.known).astype(np.bool_)


def column(values: NDArray[np.generic], seen: Marks | None = None) -> Column:
    """Return numbers as a column; ``seen`` says which rows are known, if not all are."""
    marks = None if seen is None or seen.all() else seen.astype(np.uint8).data
    return Column(np.ascontiguousarray(values).data, known=marks)


def words(places: Whole, texts: Sequence[str]) -> Column:
    """Return a column of text from the places of its words; a place below zero is not known."""
    seen = places >= 0
    marks = None if seen.all() else seen.astype(np.uint8).data
    chosen = np.where(seen, places, 0).astype(np.int32)
    return Column(chosen.data, words=tuple(texts) or ("",), known=marks)


def rows(source: Column, chosen: NDArray[np.intp]) -> Column:
    """Return some rows of a column."""
    marks = None if source.known is None else np.asarray(source.known)[chosen].data
    return Column(np.asarray(source.values)[chosen].data, words=source.words, known=marks)


def places(ids: Whole, wanted: Whole) -> Whole:
    """Return where each wanted id lies among ids, which come in any order; -1 where it does not.

    Examples:
        >>> places(np.array([7, 3]), np.array([3, 4, 7])).tolist()
        [1, -1, 0]
    """
    if not len(ids):
        return np.full(len(wanted), -1, np.int64)
    by_id = np.argsort(ids, kind="stable")
    at = by_id[np.minimum(np.searchsorted(ids[by_id], wanted), len(ids) - 1)]
    return np.where(ids[at] == wanted, at, -1)


def seconds(start: Whole, end: Whole) -> Numbers:
    """Return how long intervals are."""
    return (end - start) / NANOSECONDS


def begins(keys: Whole) -> Marks:
    """Return where a new key begins, in keys of which equal ones lie together.

    Examples:
        >>> begins(np.array([4, 4, 7])).tolist()
        [True, False, True]
    """
    marks = np.ones(len(keys), np.bool_)
    marks[1:] = keys[1:] != keys[:-1]
    return marks


def distinct(values: Whole) -> Whole:
    """Return the values that there are, sorted; faster than numpy hashes them.

    Examples:
        >>> distinct(np.array([7, 4, 7])).tolist()
        [4, 7]
    """
    ordered = np.sort(values)
    return ordered[begins(ordered)]


def over(amount: Numbers, by: Numbers) -> Numbers:
    """Return a quotient, zero where it is by zero.

    Examples:
        >>> over(np.array([3.0, 1.0]), np.array([2.0, 0.0])).tolist()
        [1.5, 0.0]
    """
    return np.divide(amount, by, out=np.zeros(len(by)), where=by > 0)


def sums(groups: Whole, amounts: Numbers, count: int) -> Numbers:
    """Return amounts added up by group; groups are numbered from zero, and there are so many.

    Examples:
        >>> sums(np.array([0, 2, 0]), np.array([1.0, 2.0, 4.0]), 3).tolist()
        [5.0, 0.0, 2.0]
    """
    return np.bincount(groups, amounts, count).astype(np.float64, copy=False)
