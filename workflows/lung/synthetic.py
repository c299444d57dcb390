"""Synthetic chests: an X-ray that looks enough like one for a model to learn from, and the mask of its lungs.

Air is dark and bone is bright. Where things lie, how large and how bright they are, and how the film was
exposed are drawn independently of each other, so that no single brightness parts the lungs from the rest: the
background is as dark as they are, exposure falls off across the film, and some lungs have bright spots. Not
modelled: depth, scatter, sex and age, and anything else that a physician would look for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Plane = NDArray[np.floating[Any]]
Picture = NDArray[np.uint8]
# Shapes are drawn no wider than this, and enlarged: they have no detail that would be lost.
_DRAWN = 750
# As in the published X-rays, which are hard to compress: about 0.7 bytes a pixel.
_GRAIN = 7.0


def chest(seed: tuple[int, int], pixels: tuple[int, int]) -> tuple[Picture, Picture]:
    """Return an X-ray and the mask of its lungs, 0 or 255; the same for the same seed."""
    chance = np.random.default_rng(seed)
    drawn = _drawn_size(pixels)
    body = _Body(chance, drawn)
    film = _exposed(chance, _drawn(chance, body))
    return _grained(chance, _enlarged(film, pixels), pixels), _binary(_enlarged(body.lungs, pixels))


def _drawn_size(pixels: tuple[int, int]) -> tuple[int, int]:
    shrink = min(1.0, _DRAWN / max(pixels))
    return round(pixels[0] * shrink), round(pixels[1] * shrink)


@dataclass(frozen=True)
class _Axis:
    """A lung: where its middle lies, how wide and high it is, and how square its corners are."""

    middle: tuple[float, float]
    half: tuple[float, float]
    power: float


class _Body:
    """The anatomy of one patient: for each part, how much of each pixel it covers, from 0 to 1."""

    def __init__(self, chance: np.random.Generator, size: tuple[int, int]) -> None:
        self.soft = 3.0 / max(size)
        self.across, self.down = _turned(chance, size)
        self.heart = self._heart(chance)
        lungs = [self._lung(chance, side) for side in (-1.0, 1.0)]
        self.lungs: Plane = np.maximum(*lungs) * (1 - self.heart)
        self.torso = self._torso(chance)

    def inside(self, level: Plane, softer: float = 1.0) -> Plane:
        """Return 1 where the level is below zero, 0 above it, with an edge a little soft."""
        return (1 / (1 + np.exp(np.clip(level / (self.soft * softer), -30, 30)))).astype(np.float32)

    def _lung(self, chance: np.random.Generator, side: float) -> Plane:
        """Draw one lung: an egg with its narrow end up, cut by the arch of the diaphragm."""
        axis = _Axis(
            (side * chance.uniform(0.36, 0.44), chance.uniform(-0.10, 0.0)),
            (chance.uniform(0.25, 0.33), chance.uniform(0.58, 0.76)),
            chance.uniform(1.9, 2.8),
        )
        lean = side * chance.uniform(0.02, 0.12)
        aside = (self.across - axis.middle[0] - lean * self.down) / axis.half[0]
        along = (self.down - axis.middle[1]) / axis.half[1]
        narrower = 0.86 + 0.22 * np.tanh(1.5 * along + 0.5)
        egg = np.abs(aside / narrower) ** axis.power + np.abs(along) ** axis.power - 1
        arch = chance.uniform(0.10, 0.26) * (1 - np.clip(aside, -1.3, 1.3) ** 2)
        floor = self.down - (axis.middle[1] + axis.half[1] * chance.uniform(0.62, 0.85)) + arch
        return self.inside((egg * 0.15).astype(np.float32)) * self.inside(floor)

    def _heart(self, chance: np.random.Generator) -> Plane:
        middle = chance.uniform(0.03, 0.16), chance.uniform(0.22, 0.36)
        half = chance.uniform(0.20, 0.32), chance.uniform(0.20, 0.30)
        slant = chance.uniform(0.1, 0.5)
        aside = (self.across - middle[0] - slant * (self.down - middle[1])) / half[0]
        return self.inside(0.15 * (aside**2 + ((self.down - middle[1]) / half[1]) ** 2 - 1))

    def _torso(self, chance: np.random.Generator) -> Plane:
        """Draw neck, shoulders and trunk as one width that grows downwards."""
        neck, trunk = chance.uniform(0.16, 0.24), chance.uniform(0.82, 1.0)
        shoulder = chance.uniform(-0.98, -0.82)
        width = neck + (trunk - neck) * _step((self.down - shoulder) / chance.uniform(0.08, 0.2))
        return self.inside(0.3 * (np.abs(self.across) - width), softer=2)


def _turned(chance: np.random.Generator, size: tuple[int, int]) -> tuple[Plane, Plane]:
    """Return where each pixel lies in a patient who stands a little aside, aslant, near or far."""
    wide, high = size
    x, y = np.meshgrid(np.linspace(-1, 1, wide, dtype=np.float32), np.linspace(-1, 1, high, dtype=np.float32))
    x, y = x - chance.uniform(-0.14, 0.14), y - chance.uniform(-0.12, 0.12)
    angle = np.deg2rad(chance.uniform(-9, 9))
    near, stout = chance.uniform(0.80, 1.10), chance.uniform(0.9, 1.1)
    across = (np.cos(angle) * x + np.sin(angle) * y) / (near * stout)
    down = (np.cos(angle) * y - np.sin(angle) * x) / near
    return across.astype(np.float32), down.astype(np.float32)


def _drawn(chance: np.random.Generator, body: _Body) -> Plane:
    """Return how much of the beam each pixel's tissue takes away, from 0 (air) to about 1 (bone)."""
    tissue = chance.uniform(0.45, 0.65)
    film = body.torso * (tissue + _clouds(chance, body.torso, 0.06))
    film += body.torso * chance.uniform(0.0, 0.2) * _step((body.down - chance.uniform(0.3, 0.6)) / 0.3)
    film -= body.lungs * tissue * chance.uniform(0.45, 0.75)
    film += body.heart * chance.uniform(0.08, 0.22)
    film += _bones(chance, body)
    film += body.lungs * (_clouds(chance, body.torso, 0.05) + _spots(chance, body, 3, (0.05, 0.25)))
    # Gas below the diaphragm and around the trunk: dark, and no lung.
    film -= body.torso * (1 - body.lungs) * _spots(chance, body, 2, (0.05, 0.3))
    return film


def _bones(chance: np.random.Generator, body: _Body) -> Plane:
    """Draw spine, ribs and collar bones."""
    spine = np.exp(-((body.across / chance.uniform(0.07, 0.11)) ** 2))
    discs = 0.8 + 0.2 * np.cos(2 * np.pi * body.down / chance.uniform(0.12, 0.16))
    found = chance.uniform(0.08, 0.25) * spine * discs
    gap, droop = chance.uniform(0.11, 0.15), chance.uniform(0.25, 0.7)
    ribs = np.cos(2 * np.pi * (body.down - droop * body.across**2 + chance.uniform(0, 0.1)) / gap)
    cage = body.inside(np.abs(body.across) - 0.74, softer=8) * body.inside(
        np.abs(body.down + 0.1) - 0.68, softer=20
    )
    found += chance.uniform(0.04, 0.12) * cage * np.clip(ribs, 0, 1) ** 0.7
    height, slope = chance.uniform(-0.72, -0.56), chance.uniform(-0.25, 0.1)
    collar = body.down - height - slope * (np.abs(body.across) - 0.3)
    length = body.inside(np.abs(np.abs(body.across) - 0.35) - 0.27, softer=3)
    found += chance.uniform(0.06, 0.18) * length * np.exp(-((collar / 0.035) ** 2))
    return (body.torso * found).astype(np.float32)


def _spots(chance: np.random.Generator, body: _Body, most: int, strength: tuple[float, float]) -> Plane:
    """Return some blurred spots anywhere."""
    found = np.zeros_like(body.across)
    for _ in range(chance.integers(0, most + 1)):
        aside, along = chance.uniform(-0.6, 0.6), chance.uniform(-0.5, 0.9)
        radius = chance.uniform(0.05, 0.18)
        near = ((body.across - aside) ** 2 + (body.down - along) ** 2) / radius**2
        found += chance.uniform(*strength) * np.exp(-near)
    return found


def _clouds(chance: np.random.Generator, like: Plane, strength: float) -> Plane:
    """Return smooth chance from about minus to plus the strength, coarse and fine."""
    found = np.zeros_like(like)
    for cells, share in ((4, 1.0), (12, 0.7), (40, 0.5)):
        grid = chance.standard_normal((cells, cells), dtype=np.float32)
        found += share * _enlarged(grid, (like.shape[1], like.shape[0]))
    return found * np.float32(strength / 1.3)


def _exposed(chance: np.random.Generator, tissue: Plane) -> Plane:
    """Return the film, 0 to 255: darker or brighter, flat or steep, uneven from side to side."""
    high, wide = tissue.shape
    y, x = np.mgrid[-1 : 1 : high * 1j, -1 : 1 : wide * 1j].astype(np.float32)
    uneven = 1 + chance.uniform(-0.25, 0.25) * x + chance.uniform(-0.25, 0.25) * y
    uneven -= chance.uniform(0, 0.2) * (x**2 + y**2)
    scattered = chance.uniform(0.05, 0.3)
    light = np.clip((tissue + scattered) * uneven, 0.0, 1.4) / 1.4
    film = chance.uniform(10, 60) + chance.uniform(130, 185) * light ** chance.uniform(0.7, 1.4)
    return film.astype(np.float32)


def _grained(chance: np.random.Generator, film: Plane, pixels: tuple[int, int]) -> Picture:
    """Return the film as a picture with the grain of one, finer than anything drawn."""
    grain = chance.standard_normal((pixels[1], pixels[0]), dtype=np.float32)
    grain *= _GRAIN * np.float32(chance.uniform(0.9, 1.1))
    grain += film
    return np.clip(grain, 0, 255, out=grain).astype(np.uint8)


def _binary(plane: Plane) -> Picture:
    return np.where(plane >= 0.5, 255, 0).astype(np.uint8)


def _enlarged(plane: Plane, pixels: tuple[int, int]) -> Plane:
    if (plane.shape[1], plane.shape[0]) == pixels:
        return plane
    return np.asarray(Image.fromarray(plane).resize(pixels, Image.Resampling.BICUBIC))


def _step(level: Plane) -> Plane:
    """Return 0 far below zero and 1 far above it, and a smooth way between."""
    return (0.5 + 0.5 * np.tanh(level)).astype(np.float32)
