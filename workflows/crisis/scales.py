"""The sizes of the Crisis workflow: how much data there is, how large models are, how long they learn."""

from __future__ import annotations

from dataclasses import dataclass

Splits = tuple[int, int, int]


@dataclass(frozen=True)
class Scale:
    """One size; numbers of splits are those of train, dev and test.

    Attributes:
        counts: Images that are labelled as their text is: those that the workflow uses.
        images: All images of a split.
        posts: All posts of a split; some have several images.
        side: About how many points a side of an image has.
        other_words: Vectors of words that no text has.
        size: How many points a side of a resized image has.
        trials: How many parameters a search tries, of each model.
        text_epochs: How often the model of texts sees each text.
        image_epochs: How often the model of images sees each image.
        text: Options of the model of texts.
        image: Options of the model of images.
        text_grid: What the search of the model of texts chooses from.
        image_grid: The same of the model of images.
    """

    counts: Splits
    images: Splits
    posts: Splits
    side: int
    other_words: int
    size: int
    trials: int
    text_epochs: int
    image_epochs: int
    text: str
    image: str
    text_grid: str
    image_grid: str


SCALES = {
    # Narrow and shallow models, small pictures, other grids: seconds on two cores.
    "tiny": Scale(
        counts=(960, 240, 240),
        images=(1130, 280, 280),
        posts=(1010, 250, 250),
        side=96,
        other_words=2_000,
        size=64,
        trials=2,
        text_epochs=6,
        image_epochs=6,
        text="--batch 32 --length 24 --hidden 32 --filters 16",
        image="--batch 32 --side 56 --width 0.125 --blocks 1 1 1 1",
        text_grid="--rate 3e-3 2e-3 --dropout .2 .4",
        image_grid="--rate 3e-3 2e-3",
    ),
    "small": Scale(
        counts=(1920, 360, 360),
        images=(2300, 420, 420),
        posts=(2040, 370, 370),
        side=300,
        other_words=20_000,
        size=128,
        trials=2,
        text_epochs=8,
        image_epochs=6,
        text="--batch 64 --length 50 --hidden 64 --filters 32",
        image="--batch 32 --side 84 --width 0.25 --blocks 1 2 2 1",
        text_grid="--rate 3e-3 1e-3 --dropout .1 .2 .4",
        image_grid="--rate 3e-3 2e-3 1e-3",
    ),
    "paper": Scale(
        counts=(9631, 1573, 1534),
        images=(13608, 2237, 2237),
        posts=(12085, 1987, 1986),
        side=1024,
        other_words=467_000,
        size=600,
        trials=2,
        text_epochs=10,
        image_epochs=5,
        text="--batch 128 --length 150 --hidden 128 --filters 64",
        image="--batch 8 --side 224",
        text_grid="--rate 1e-3 1e-4 1e-5 --dropout .1 .2 .4",
        image_grid="--rate 1e-3 1e-4 1e-5",
    ),
}


def scale_of(name: str) -> Scale:
    """Return a size by its name."""
    if name not in SCALES:
        raise ValueError(f"scale is one of {', '.join(SCALES)}, not {name!r}")
    return SCALES[name]
