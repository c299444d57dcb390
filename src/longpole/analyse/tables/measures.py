"""Measures: how a column is found out of runs, over repeats, with the reason where it is not known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from longpole.analyse.spread import spread_of
from longpole.model.result_table import Figure, Gap, Heading, Quantity, Scale

Item = TypeVar("Item")


class Over(StrEnum):
    """What is said of repeats: their mean and deviation, or the most."""

    MEAN = "mean"
    MOST = "most"


@dataclass(frozen=True, slots=True)
class Measure(Generic[Item]):
    """One column.

    Attributes:
        heading: What stands above it.
        value: What one item gives; None if it is not known.
        why: Why it is not.
        over: What is said of repeats.
    """

    heading: Heading
    value: Callable[[Item], float | str | None]
    why: Callable[[Item], str]
    over: Over = Over.MEAN


@dataclass(slots=True)
class Gaps:
    """Why figures are missing: the columns by reason, in the order in which they are met."""

    _columns: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, column: str, reason: str) -> None:
        """Note a figure that is missing."""
        self._columns.setdefault(reason, {})[column] = None

    def all(self) -> tuple[Gap, ...]:
        """Return each reason once, with all columns that it holds for."""
        return tuple(Gap(tuple(columns), reason) for reason, columns in self._columns.items())


def figures(measures: Sequence[Measure[Item]], items: Sequence[Item], gaps: Gaps) -> tuple[Figure, ...]:
    """Return the cells of a row that stands for all of these items."""
    return tuple(_figure(measure, items, gaps) for measure in measures)


def in_scale(headings: Sequence[Heading], rows: Sequence[Sequence[Figure]]) -> tuple[Heading, ...]:
    """Return headings whose units are no larger than what their columns hold."""
    columns = zip(*rows, strict=True) if rows else [() for _ in headings]
    return tuple(_fitting(heading, column) for heading, column in zip(headings, columns, strict=True))


_SMALLER = {Scale.GIGABYTES: Scale.MEGABYTES, Scale.MEGABYTES: Scale.FREE}
_LEAST = {Scale.GIGABYTES: 1e8, Scale.MEGABYTES: 1e5}


def _figure(measure: Measure[Item], items: Sequence[Item], gaps: Gaps) -> Figure:
    values = [measure.value(item) for item in items]
    unknown = [item for item, value in zip(items, values, strict=True) if value is None]
    if unknown:
        some = f" (in {len(unknown)} of {len(items)} runs)" if len(unknown) < len(items) else ""
        gaps.add(measure.heading.title, f"{measure.why(unknown[0])}{some}")
        return Figure()
    if measure.heading.quantity is Quantity.TEXT:
        return Figure(", ".join(dict.fromkeys(str(value) for value in values)))
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    if measure.over is Over.MOST:
        return Figure(max(numbers, default=None))
    spread = spread_of(numbers)
    return Figure() if spread is None else Figure(spread.mean, spread.sd)


def _fitting(heading: Heading, column: Sequence[Figure]) -> Heading:
    """Return a heading with a smaller unit, until something in the column is a tenth of it at least."""
    most = max((abs(each.value) for each in column if isinstance(each.value, float)), default=0.0)
    scale = heading.scale
    while most and scale in _SMALLER and most < _LEAST[scale]:
        scale = _SMALLER[scale]
    return Heading(heading.name, heading.title, heading.quantity, scale)
