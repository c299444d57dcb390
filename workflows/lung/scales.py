"""How much data each scale has, and how long models are trained there. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """How large the data and the models are.

    Attributes:
        masked: How many X-rays of the first hospital have a mask; those of the second all have one.
        unmasked: How many of the first hospital have none.
        second: How many X-rays the second hospital has.
        pixels: How wide and high an X-ray is.
        size: How wide and high it is once prepared.
        width: How many channels the model has, as a part of ResNet34's.
        trials: How often the search tries a learning rate.
        epochs: How long a trial takes, and the final training.
        batch: How many pictures make a step.
        rates: The learning rates to choose from.
    """

    masked: int
    unmasked: int
    second: int
    pixels: tuple[int, int]
    size: int
    width: float
    trials: int
    epochs: tuple[int, int]
    batch: int
    rates: tuple[float, ...]

    @property
    def pairs(self) -> int:
        """How many X-rays have a mask."""
        return self.masked + self.second


_PAPER_RATES = (1e-2, 1e-3, 2e-3, 1e-5, 3e-5, 1e-7)
# In a tenth of the steps of the paper, a small model learns nothing at its smaller rates.
_QUICK_RATES = (1e-2, 3e-3)

SCALES = {
    "tiny": Scale(64, 9, 16, (300, 293), 64, 0.25, 2, (2, 4), 8, _QUICK_RATES),
    "small": Scale(80, 14, 20, (750, 733), 128, 0.25, 3, (4, 10), 8, _QUICK_RATES),
    "paper": Scale(566, 96, 138, (3000, 2933), 256, 1.0, 10, (25, 25), 32, _PAPER_RATES),
}


def scale_of(name: str) -> Scale:
    """Return a scale by its name.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in SCALES:
        raise ValueError(f"scale is one of {', '.join(SCALES)}, not {name!r}")
    return SCALES[name]
