"""Synthetic galaxies: what one looks like, and how people would have voted on it.

A class is told by shape alone: how round a smooth galaxy is, whether a disc is seen from its edge,
whether it has arms. Position, turn, size, brightness, contrast, colour, sky, noise, stars and neighbours
are drawn alike for all classes, so that no sum or coarse thumbnail of the pixels gives it away. Real
galaxies are more varied than these.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

# Lengths are given as shares of the part that pre-processing leaves: 256 of 424 pixels.
KEPT = 256 / 424
# How round galaxies of each class are: the short axis over the long one.
ROUNDNESS = ((0.9, 1.0), (0.46, 0.62), (0.2, 0.3), (0.09, 0.15), (0.6, 1.0))
EDGE_ON, SPIRAL = 3, 4
# Pictures with fewer pixels than this are drawn twice as large and then halved, as thin discs would be lost.
_COARSE = 200

Pixels = np.ndarray


def picture(chance: Generator, label: int, side: int) -> Pixels:
    """Return a picture of a galaxy as bytes, by row, column and colour.

    Args:
        chance: What it is drawn by.
        label: Its class.
        side: Pixels of each side.
    """
    drawn = 2 * side if side < _COARSE else side
    light = _light(chance, label, drawn) + _neighbours(chance, drawn)
    if drawn != side:
        light = light.reshape(side, 2, side, 2).mean((1, 3), dtype=np.float32)
    return _exposed(chance, light)


def _light(chance: Generator, label: int, side: int) -> Pixels:
    """Return the light of the galaxy; its brightest part is about one."""
    unit = side * KEPT
    size = chance.uniform(0.09, 0.16) * unit
    x, y = _turned(chance, side, offset=0.13 * unit)
    roundness = chance.uniform(*ROUNDNESS[label])
    # As much light-giving area whatever the class: a long galaxy is longer.
    long_axis = size / np.float32(max(roundness, 0.3)) ** 0.4
    x /= np.float32(long_axis)
    if label == EDGE_ON:
        return _edge_on(chance, x, y / np.float32(long_axis * roundness))
    y /= np.float32(long_axis * roundness)
    square = x * x + y * y
    if label == SPIRAL:
        return _spiral(chance, (x, y), square)
    return _smooth(square, chance.uniform(0.6, 1.1))


def _smooth(square: Pixels, index: float) -> Pixels:
    """Return light that falls off with the radius, as Sérsic's law has it; ``index`` says how steeply."""
    steepness = 2 * index - 1 / 3
    return np.exp(-steepness * 0.5 * (square + np.float32(0.02)) ** np.float32(0.5 / index), dtype=np.float32)


def _edge_on(chance: Generator, x: Pixels, y: Pixels) -> Pixels:
    """Return a thin disc with a bulge; some have a lane of dust."""
    disc = np.exp(-np.abs(x) * 1.3 - np.abs(y) * 1.4, dtype=np.float32)
    roundness = np.float32(chance.uniform(*ROUNDNESS[EDGE_ON]))
    bulge = chance.uniform(0.16, 0.24)
    radius = (x / np.float32(bulge)) ** 2 + (y * roundness / np.float32(bulge * 0.85)) ** 2
    light = disc + np.float32(chance.uniform(0.6, 1.0)) * np.exp(-radius, dtype=np.float32)
    if chance.random() < 0.4:
        light *= 1 - np.float32(0.6) * np.exp(-((y * 2.2) ** 2), dtype=np.float32)
    return light / np.float32(1.6)


def _spiral(chance: Generator, place: tuple[Pixels, Pixels], square: Pixels) -> Pixels:
    """Return a disc with arms that wind as logarithmic spirals, and a small bulge."""
    radius = np.sqrt(square)
    arms, wind = chance.choice((2, 2, 3)), chance.choice((-1, 1)) / np.tan(np.radians(chance.uniform(14, 24)))
    angle = np.arctan2(place[1], place[0])
    wave = np.cos(np.float32(arms) * (angle - np.float32(wind) * np.log(radius + np.float32(0.05))))
    contrast = np.float32(chance.uniform(0.75, 0.95)) * np.minimum(radius * 2, 1)
    disc = np.exp(-radius * np.float32(1.1), dtype=np.float32) * (1 + contrast * wave)
    bulge = np.exp(-square / np.float32(chance.uniform(0.02, 0.05)), dtype=np.float32)
    return (disc * np.float32(0.8) + bulge * np.float32(0.5)) / np.float32(1.2)


def _turned(chance: Generator, side: int, offset: float) -> tuple[Pixels, Pixels]:
    """Return coordinates around the centre of a galaxy, turned by chance."""
    across, down = chance.uniform(-offset, offset, 2)
    angle = chance.uniform(0, 2 * np.pi)
    axis = np.arange(side, dtype=np.float32) - np.float32((side - 1) / 2)
    cosine, sine = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    columns, rows = (axis - np.float32(across))[None, :], (axis - np.float32(down))[:, None]
    return columns * cosine + rows * sine, rows * cosine - columns * sine


def _neighbours(chance: Generator, side: int) -> Pixels:
    """Return the light of stars, and of another, smaller galaxy here and there."""
    light = np.zeros((side, side), np.float32)
    blobs = [(0.006 * side, chance.uniform(0.2, 0.9)) for _ in range(chance.poisson(2.5))]
    blobs += [
        (chance.uniform(0.012, 0.025) * side, chance.uniform(0.2, 0.6)) for _ in range(chance.random() < 0.3)
    ]
    axis = np.arange(side, dtype=np.float32)
    for size, bright in blobs:
        down, across = chance.uniform(0, side, 2)
        spreads = chance.uniform(0.7, 1.0, 2) * size if size > 0.01 * side else np.full(2, size)
        column = np.exp(-(((axis - np.float32(down)) / np.float32(spreads[0])) ** 2))
        row = np.exp(-(((axis - np.float32(across)) / np.float32(spreads[1])) ** 2))
        light += np.float32(bright) * column[:, None] * row[None, :]
    return light


def _exposed(chance: Generator, light: Pixels) -> Pixels:
    """Return light as a camera would have it: brightness, colour, sky and noise."""
    bright = np.float32(chance.uniform(90, 220))
    contrast = np.float32(chance.uniform(0.75, 1.15))
    colour = chance.uniform(0.75, 1.0, 3).astype(np.float32)
    sky = chance.uniform(6, 26) + chance.uniform(-2, 2, 3)
    noise = chance.standard_normal(light.shape, np.float32) * np.float32(chance.uniform(2, 6))
    exposed = bright * np.maximum(light, 0) ** contrast + noise
    seen = exposed[:, :, None] * colour + sky.astype(np.float32)
    return np.clip(seen, 0, 255).astype(np.uint8)


def votes(chance: Generator, label: int | None) -> list[float]:
    """Return the share of people for each answer to the eleven questions; None: they were not of one mind.

    The questions form a tree: an answer never has more votes than the answer that led to its question.
    """
    smooth, features = _first_answers(chance, label)
    edge = features * (chance.uniform(0.9, 0.99) if label == EDGE_ON else chance.uniform(0.01, 0.04))
    face = features - edge
    arms = face * (chance.uniform(0.93, 0.99) if label == SPIRAL else chance.uniform(0.05, 0.6))
    odd = chance.uniform(0.02, 0.3)
    return [
        smooth, features, 1 - smooth - features, edge, face,
        *_shared(chance, face, 2), arms, face - arms, *_shared(chance, face, 4), odd, 1 - odd,
        *_rounds(chance, smooth, label), *_shared(chance, odd, 7), *_shared(chance, edge, 3),
        *_shared(chance, arms, 3), *_shared(chance, arms, 6),
    ]  # fmt: skip


def _first_answers(chance: Generator, label: int | None) -> tuple[float, float]:
    """Return the shares of 'smooth' and 'features or disc'; the rest say 'a star'."""
    if label is None:
        smooth = chance.uniform(0.45, 0.7)
        return smooth, min(0.4, 0.97 - smooth)
    agreed = chance.uniform(0.84, 0.97)
    other = (1 - agreed) * chance.uniform(0.3, 0.9)
    return (other, agreed) if label in (EDGE_ON, SPIRAL) else (agreed, other)


def _rounds(chance: Generator, smooth: float, label: int | None) -> list[float]:
    """Return the shares for how round a smooth galaxy is."""
    if label is None:
        return [smooth * each for each in (0.34, 0.34, 0.32)]
    shares = _shared(chance, smooth, 3)
    if label in (EDGE_ON, SPIRAL):
        return shares
    clear = chance.uniform(0.75, 0.97) * smooth
    return [clear if n == label else (smooth - clear) / 2 for n in range(3)]


def _shared(chance: Generator, whole: float, count: int) -> list[float]:
    parts = chance.dirichlet(np.ones(count)) * whole
    return [float(each) for each in parts]
