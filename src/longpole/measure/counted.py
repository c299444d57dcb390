"""What needs no trial: cores are counted, not timed."""

from __future__ import annotations

from longpole.measure.cores import allowed_cores
from longpole.model.measured import Measured


def counted_cores() -> Measured:
    """Return the cores this process may use; nothing about them spreads."""
    cores = allowed_cores()
    return Measured("cpu", (cores,), cores, 0.0, how="cores allowed by affinity and control groups")
