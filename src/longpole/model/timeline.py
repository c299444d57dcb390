"""A run over time, as data for drawing: rows of bars, how many ran at once, and the critical path."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from longpole.errors import LongpoleError


class TimelineError(LongpoleError):
    """Rows that cannot be drawn."""


class Bar(NamedTuple):
    """An interval, or several that are too short and too near to be told apart.

    Attributes:
        start_s: When it begins, from the begin of the run.
        end_s: When it ends.
        status: How it ended: ok, failed or unfinished.
        number: How many intervals it stands for.
    """

    start_s: float
    end_s: float
    status: str
    number: int = 1


class Level(NamedTuple):
    """How many ran from a moment on, until the next such moment.

    Attributes:
        at_s: The moment, from the begin of the run.
        running: How many; of a long run the mean of a short time.
    """

    at_s: float
    running: float


class Piece(NamedTuple):
    """A piece of the critical path.

    Attributes:
        row: The row it lies in; where no bar is under it, it is a wait.
        start_s: When it begins, from the begin of the run.
        end_s: When it ends.
    """

    row: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Row:
    """Bars of one label and kind that do not overlap, in the order of time."""

    label: str
    kind: str
    bars: tuple[Bar, ...]

    def __post_init__(self) -> None:
        """Check that the bars can be drawn on one line."""
        if any(bar.end_s < bar.start_s for bar in self.bars):
            raise TimelineError(f"A bar of '{self.label}' ends before it begins.")
        if any(after.start_s < before.end_s for before, after in pairwise(self.bars)):
            raise TimelineError(f"Two bars of one row of '{self.label}' overlap.")


@dataclass(frozen=True, slots=True)
class Timeline:
    """A run over time.

    Attributes:
        rows: What is drawn; those of one label and kind are neighbours.
        length_s: From the begin of the run to its end.
        profile: How many ran at once; all of them, those that are not shown included.
        critical: The critical path, as far as its rows are shown.
        peak: The most that ran at once.
        mean: How many ran at once on average, from the first begin to the last end.
        left_out: How many rows are not shown.
        left_out_bars: How many intervals are in these.
    """

    rows: tuple[Row, ...]
    length_s: float
    profile: tuple[Level, ...] = ()
    critical: tuple[Piece, ...] = ()
    peak: int = 0
    mean: float = 0.0
    left_out: int = 0
    left_out_bars: int = 0

    def __post_init__(self) -> None:
        """Check that all lies in the rows and in the time that there are."""
        if any(not 0 <= piece.row < len(self.rows) for piece in self.critical):
            raise TimelineError(
                f"The critical path lies in rows that are not there; there are {len(self.rows)}."
            )
        if any(row.bars and row.bars[-1].end_s > self.length_s for row in self.rows):
            raise TimelineError(f"A bar ends after the run, which is {self.length_s} s long.")

    @property
    def shown_bars(self) -> int:
        """How many intervals are in the rows that are shown."""
        return sum(bar.number for row in self.rows for bar in row.bars)
