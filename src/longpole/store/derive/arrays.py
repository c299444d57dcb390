"""Columns under construction: numpy arrays by name, masked where a value is not known.

A table is given as parts that lie one below the other; within a part a column may be one value for all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Part = Mapping[str, NDArray[Any] | int | str | None]
Whole = NDArray[np.int64]
Marks = NDArray[np.bool_]
Objects = NDArray[np.object_]

# No moment of a host's monotonic clock lies beyond this (36 years): sums with an offset cannot overflow.
LATEST_NS = 1 << 60
# Of more parts than this, those of fewer rows than that are put together.
_FEW_PARTS, _SMALL_ROWS = 32, 10_000


def integers(values: Sequence[int | None]) -> NDArray[np.int64]:
    """Return whole numbers; None is not known."""
    found = np.array([0 if value is None else value for value in values], np.int64)
    return hidden(found, np.array([value is None for value in values], np.bool_))


def floats(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Return numbers; None is not known."""
    found = np.array([0.0 if value is None else value for value in values], np.float64)
    return hidden(found, np.array([value is None for value in values], np.bool_))


def texts(values: Sequence[str | None]) -> Objects:
    """Return texts; None is not known."""
    found = np.empty(len(values), object)
    found[:] = values
    return found


def hidden(values: NDArray[Any], unknown: Marks) -> NDArray[Any]:
    """Return values of which some are not known."""
    return np.ma.masked_array(values, unknown) if unknown.any() else values


def places(known: NDArray[Any], wanted: NDArray[Any]) -> Whole:
    """Return where each wanted value lies in the sorted ``known``; -1 where it does not."""
    if not len(known):
        return np.full(len(wanted), -1, np.int64)
    found = np.searchsorted(known, wanted)
    found[found == len(known)] = 0
    return np.where(known[found] == wanted, found, -1)


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of one kind one after the other."""
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        return np.ma.concatenate(parts)  # type: ignore[no-any-return,no-untyped-call]
    return np.concatenate(parts)


def fewer(parts: Sequence[Part]) -> list[Part]:
    """Return parts of which those with the same columns, large ones apart, are put together into one.

    Many small logs make many small parts, and each part of a table has a price of its own.
    """
    if len(parts) <= _FEW_PARTS:
        return list(parts)
    small: dict[tuple[tuple[str, str], ...], list[Arrays]] = {}
    found: list[Part] = []
    for part in parts:
        rows = max((len(values) for values in part.values() if isinstance(values, np.ndarray)), default=0)
        if rows > _SMALL_ROWS:
            found.append(part)
        elif rows:
            spread = {name: _spread(values, rows) for name, values in part.items() if values is not None}
            small.setdefault(_kinds(spread), []).append(spread)
    return [*found, *(stacked(alike) for alike in small.values())]


def _spread(values: NDArray[Any] | int | str, rows: int) -> NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values
    return np.full(rows, values, np.int64 if isinstance(values, int) else object)


def _kinds(part: Arrays) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, values.dtype.kind) for name, values in part.items()))


def stacked(parts: Sequence[Arrays]) -> Arrays:
    """Return tables of the same columns one below the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: joined([part[name] for part in parts]) for name in (parts[0] if parts else ())}
