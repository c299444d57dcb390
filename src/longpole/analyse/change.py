"""A change of a run, and how long the run takes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole

Factors = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A change of a run.

    Attributes:
        factors: By what the own time of each phase is multiplied; None for no change.
        lengths_ns: How long some phases take with all their parts, by place.
        slots: How many parts of some phases run at once, by place of the phase.
        cores: How many cores there are for what runs side by side; 0 for as many as there were.
        abreast: Places of phases that may run side by side with their neighbours though they did not; each
            still waits for all that it depends on.
        gaps: By what the gaps before parts that run side by side are multiplied, by place of their phase.
        balance: Phases that come closer to their mean by some share of the way, as they are alone.
    """

    factors: Factors | None = None
    lengths_ns: Mapping[int, int] = field(default_factory=dict)
    slots: Mapping[int, int] = field(default_factory=dict)
    cores: float = 0.0
    abreast: Whole | None = None
    gaps: Mapping[int, float] = field(default_factory=dict)
    balance: Sequence[tuple[Whole, float]] = ()

    @property
    def reschedules(self) -> bool:
        """Whether it is about what runs side by side, and not only about how long phases take."""
        return bool(self.slots or self.cores or self.gaps or self.balance) or self.abreast is not None


NO_CHANGE = Change()


@dataclass(frozen=True, slots=True)
class Replayed:
    """How long a run takes in the replay: each draw of gaps gives one makespan."""

    draws_ns: tuple[int, ...]

    @property
    def makespan_ns(self) -> int:
        """The median over the draws."""
        return int(np.median(self.draws_ns)) if self.draws_ns else 0
