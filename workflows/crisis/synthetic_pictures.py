"""Pictures of posts that a model can learn from, but not by brightness or colour.

A picture that informs shows shards: thin, pointed, turned any way. One that does not shows pebbles: round, of
the same areas and colours. Where they lie, how many and how large they are, light, contrast, colours and
noise vary whatever the class, so a thumbnail tells nothing. An unclear picture shows as many of each kind.
"""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageDraw

SHARPER = 2


def picture_of(chance: np.random.Generator, label: str, side: int, *, clear: bool) -> bytes:
    """Return a JPEG.

    Args:
        chance: Where all that varies comes from.
        label: What it shows: informative or not_informative.
        side: How many points its sides have, about.
        clear: Whether it shows only that.
    """
    width, height = (int(side * chance.uniform(0.8, 1.2)) for _ in range(2))
    # Small pictures are drawn larger first, so that shapes stay shapes.
    scale = SHARPER if side < 300 else 1
    ground = chance.uniform(60, 196, 3)
    picture = background(chance, ground, width * scale, height * scale)
    scatter(chance, picture, ground, float(label == "informative") if clear else 0.5)
    if scale > 1:
        picture = picture.resize((width, height), Image.Resampling.BOX)
    return as_jpeg(chance, picture)


def background(chance: np.random.Generator, ground: np.ndarray, width: int, height: int) -> Image.Image:
    """Return soft shades about a colour."""
    few = np.clip(ground + chance.normal(0, 15, (3, 4, 3)), 0, 255).astype(np.uint8)
    return Image.fromarray(few).resize((width, height), Image.Resampling.BICUBIC)


def scatter(chance: np.random.Generator, picture: Image.Image, ground: np.ndarray, shards: float) -> None:
    """Draw shards, this part of all, and pebbles in a heap somewhere: darker or lighter than the ground."""
    draw, side = ImageDraw.Draw(picture), min(picture.size)
    count, spread = int(chance.integers(25, 50)), chance.uniform(0.2, 0.35) * side
    middle = chance.uniform(0.3, 0.7, 2) * picture.size
    colours = ground + chance.choice([-1, 1]) * chance.uniform(80, 130) + chance.normal(0, 20, (3, 3))
    for number in range(count):
        place = chance.normal(middle, spread)
        area = (chance.uniform(0.06, 0.11) * side) ** 2
        shape = shard if number < shards * count else pebble
        colour = tuple(int(part) for part in colours[chance.integers(3)].clip(0, 255))
        draw.polygon(shape(chance, place, area), fill=colour)


def shard(chance: np.random.Generator, place: np.ndarray, area: float) -> list[tuple[float, float]]:
    """Return the corners of a thin triangle of this area, turned any way."""
    thin = chance.uniform(8, 14)
    length, base = np.sqrt(2 * area * thin), np.sqrt(2 * area / thin)
    corners = np.array(
        [[-length / 2, -base / 2], [-length / 2, base / 2], [length / 2, chance.normal(0, base / 2)]]
    )
    return turned(corners, chance.uniform(0, 2 * np.pi), place)


def pebble(chance: np.random.Generator, place: np.ndarray, area: float) -> list[tuple[float, float]]:
    """Return the outline of a nearly round ellipse of this area."""
    flat, around = chance.uniform(1.0, 1.3), np.linspace(0, 2 * np.pi, 14, endpoint=False)
    radius = np.sqrt(area / np.pi)
    outline = np.stack([np.cos(around) * radius * flat**0.5, np.sin(around) * radius / flat**0.5], 1)
    return turned(outline, chance.uniform(0, 2 * np.pi), place)


def turned(points: np.ndarray, angle: float, place: np.ndarray) -> list[tuple[float, float]]:
    """Return points turned about the origin, and moved to a place."""
    cosine, sine = np.cos(angle), np.sin(angle)
    moved = points @ np.array([[cosine, sine], [-sine, cosine]]) + place
    return [(float(x), float(y)) for x, y in moved]


def as_jpeg(chance: np.random.Generator, picture: Image.Image) -> bytes:
    """Return a picture in another light, with the noise of a camera."""
    points = np.asarray(picture, np.float32)
    gain, shift = chance.uniform(0.6, 1.1), chance.uniform(-30, 40)
    # One block of noise, shifted and turned for each picture, is as good as new noise and much quicker.
    noise = np.resize(chance.normal(0, chance.uniform(3, 8), 65_521).astype(np.float32), points.shape)
    lit = np.clip(points * gain + shift + noise, 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(lit).save(file, "JPEG", quality=90)
    return file.getvalue()
