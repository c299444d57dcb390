"""The axis of time: round moments, all in one unit, and a line with them."""

from __future__ import annotations

from typing import NamedTuple

# From how many of a unit on it is used, its length in seconds, and steps that are round in it.
_DECIMAL = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_UNITS = (
    (3, "d", 86400.0, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
    (3, "h", 3600.0, (1, 2, 3, 6, 12, 24)),
    (3, "min", 60.0, (1, 2, 5, 10, 15, 30, 60)),
    (1, "s", 1.0, (0.1, 0.2, 0.5, *_DECIMAL)),
    (1, "ms", 1e-3, (0.1, 0.2, 0.5, *_DECIMAL)),
    (1, "us", 1e-6, (0.1, 0.2, 0.5, *_DECIMAL)),
    (0, "ns", 1e-9, _DECIMAL),
)
_BLOCKS, _ASCII = ("┬", "─"), ("+", "-")
_LEAST_APART = 12
# Steps are not to be missed by a rounding error.
_SLACK = 1e-6


class Tick(NamedTuple):
    """A moment on the axis, and how it reads."""

    at_s: float
    label: str


def ticks(length_s: float, most: int) -> tuple[Tick, ...]:
    """Return round moments from 0 to the end of a run.

    Args:
        length_s: How long the run is.
        most: How many moments there may be after the first.

    Examples:
        >>> [tick.label for tick in ticks(60.0, 4)]
        ['0 s', '20 s', '40 s', '60 s']
        >>> [tick.label for tick in ticks(1.0, 2)]
        ['0 s', '0.5 s', '1 s']
        >>> [tick.label for tick in ticks(7200.0, 4)]
        ['0 min', '30 min', '60 min', '90 min', '120 min']
    """
    _, unit, scale, steps = next(one for one in _UNITS if length_s >= one[0] * one[2])
    length = length_s / scale
    step = next((step for step in steps if length / step <= max(1, most) + _SLACK), length)
    return tuple(
        Tick(at * step * scale, f"{at * step:.6g} {unit}") for at in range(int(length / step + _SLACK) + 1)
    )


def axis_lines(length_s: float, columns: int, *, blocks: bool) -> tuple[str, str]:
    """Return an axis of so many columns, and the line of what its moments read.

    Examples:
        >>> for line in axis_lines(60.0, 40, blocks=False):
        ...     print(line)
        +------------+-------------+-----------+
        0 s          20 s          40 s     60 s
    """
    mark, line = _BLOCKS if blocks else _ASCII
    drawn, labels = [line] * columns, ""
    for tick in ticks(length_s, columns // _LEAST_APART):
        column = min(columns - 1, round(columns * tick.at_s / length_s))
        drawn[column] = mark
        start = min(column, columns - len(tick.label))
        if not labels or start > len(labels) + 1:
            labels = f"{labels:{start}}{tick.label}"
    return "".join(drawn), labels
