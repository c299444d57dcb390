"""What was measured of a machine: all repeats of each resource, the best of them, how far they lie apart."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.model.machine import Machine

# Where others hold a larger share of the cores, no spread below 100 % covers what they took.
MOST_OTHERS = 0.5


@dataclass(frozen=True, slots=True)
class Measured:
    """One resource, or one overhead, as it was measured.

    Attributes:
        name: The resource or the overhead.
        values: Every repeat: a rate in the base unit of the resource, or seconds.
        best: The peak: the highest rate, or the least seconds.
        spread: By which share of itself the best may be off.
        how: By what it was measured.
        remark: What limits its meaning, a sentence; empty if nothing does.
    """

    name: str
    values: tuple[float, ...]
    best: float
    spread: float
    how: str = ""
    remark: str = ""

    @property
    def source(self) -> str:
        """How a machine file tells of it."""
        return f"measured: {self.how}" if self.how else "measured"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What could not be measured, and why: a sentence."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """A machine as it was measured.

    Attributes:
        machine: The machine.
        measured: What of it was measured.
        left_out: What could not be.
        others: Which share of the cores others held meanwhile.
    """

    machine: Machine
    measured: tuple[Measured, ...]
    left_out: tuple[LeftOut, ...] = ()
    others: float = 0.0
