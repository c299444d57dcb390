"""The sizes of the Galaxy workflow: how much data there is, how large pictures are, how long is learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """One size.

    Attributes:
        counts: How many galaxies there are of each class.
        unlabelled: How many more there are that the rule of labels drops.
        side: Pixels of a picture's side.
        crop: Pixels of the side that pre-processing leaves.
        width: Channels of the model, as a share of the published ones.
        new: How many pictures are made anew of rare classes.
        trials: Trials of the search.
        search_epochs: Epochs of each trial.
        epochs: Epochs of the training.
    """

    counts: tuple[int, ...]
    unlabelled: int
    side: int
    crop: int
    width: float
    new: Mapping[int, int]
    trials: int = 2
    search_epochs: int = 5
    epochs: int = 5


SCALES = {
    "tiny": Scale((320, 310, 80, 180, 300), 60, 106, 64, 0.125, {2: 110, 3: 60}, search_epochs=2, epochs=6),
    "small": Scale(
        (580, 560, 130, 310, 540), 200, 159, 96, 0.25, {2: 220, 3: 120}, search_epochs=3, epochs=6
    ),
    "paper": Scale((8436, 8069, 579, 3903, 7806), 32_785, 424, 256, 1.0, {2: 7000, 3: 4000}),
}


def scale_of(name: str) -> Scale:
    """Return a size by its name.

    Raises:
        ValueError: There is none of this name.
    """
    if name not in SCALES:
        raise ValueError(f"scale is one of {', '.join(SCALES)}, not {name!r}")
    return SCALES[name]
