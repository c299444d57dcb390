"""A probe: what measures one resource or several at once, a repeat at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from longpole.errors import UNMEASURABLE, LongpoleError

# So many repeats there are at least of what is quickly done, and of what takes seconds.
LEAST_REPEATS = 5
LEAST_SLOW_REPEATS = 2


class UnmeasurableError(LongpoleError):
    """A resource cannot be measured here; the sentence says why."""

    exit_code = UNMEASURABLE


class Probe(Protocol):
    """One way to measure.

    Making one may allocate, write files and try out how much work makes a trial of some tenths of a
    second; it raises ``UnmeasurableError`` or ``OSError`` where it cannot.
    """

    @property
    def how(self) -> str:
        """By what it measures, for the source of a peak."""

    @property
    def remark(self) -> str:
        """What limits the meaning of its values, a sentence; empty if nothing does."""

    @property
    def least(self) -> int:
        """How many repeats there must be, however long they take."""

    @property
    def on_cores(self) -> bool:
        """Whether others on the cores slow it down; all it does there itself, we or children that end do."""

    def trial(self) -> Mapping[str, float]:
        """Do it once; return the rate (or the seconds) of each resource (or overhead), all above zero."""

    def close(self) -> None:
        """Give back all it has taken; called once."""
