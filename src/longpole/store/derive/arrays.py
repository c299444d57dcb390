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


def stacked(parts: Sequence[Arrays]) -> Arrays:
    """Return tables of the same columns one below the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: joined([part[name] for part in parts]) for name in (parts[0] if parts else ())}
