"""What the time of a profiler step went into."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepParts:
    """One step of one rank, or the mean of several, in microseconds.

    Every instant of the step counts once: as the first of these that was going on.

    Attributes:
        rank: The rank; nothing if it is not known.
        step: The name of the step.
        kernel_us: A kernel ran on a device.
        memcpy_us: Memory was copied by a device.
        memset_us: Memory was set by a device.
        runtime_us: A thread was in a call of CUDA.
        data_us: A thread fetched data.
        operator_us: A thread was in an operator.
        other_us: None of these.
    """

    rank: int | None
    step: str
    kernel_us: float
    memcpy_us: float
    memset_us: float
    runtime_us: float
    data_us: float
    operator_us: float
    other_us: float

    @property
    def total_us(self) -> float:
        """How long the step took."""
        device = self.kernel_us + self.memcpy_us + self.memset_us
        return device + self.runtime_us + self.data_us + self.operator_us + self.other_us
