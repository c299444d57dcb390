"""How a root file system is put together for bubblewrap, so that every folder has a place to be mounted on.

Method: an image is read-only, and a folder can be mounted only on a directory that is there. If the image has
all of them, it is mounted as a whole. Otherwise the directories on the way to a missing one become new, empty
ones, and what the image has in them is mounted there one by one. They are read-only in the end too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

# These are made anew in every container, and whatever lies below them can be made there.
FRESH = ("/dev", "/proc", "/tmp")


def root_arguments(image: str, points: Sequence[str]) -> list[str]:
    """Return the arguments for bubblewrap that show an image as a root in which all points are directories.

    Args:
        image: A directory of the host.
        points: Absolute paths within the container that are directories, or become so when they are mounted.
    """
    wanted = [point for point in (*FRESH, *points) if not _is_fresh_inside(point)]
    missing = [point for point in wanted if not _is_directory(image, point)]
    if not missing:
        return ["--ro-bind", image, "/"]
    return list(_compose(image, "", _ways(missing)))


def _compose(image: str, folder: str, ways: frozenset[str]) -> Iterator[str]:
    """Give the arguments for what a folder of the image holds, except what is made anew."""
    for entry in sorted(_entries(image + folder), key=lambda entry: entry.name):
        path = f"{folder}/{entry.name}"
        if path in FRESH:
            continue
        if path in ways:
            yield from ("--dir", path)
            yield from _compose(image, path, ways)
        elif entry.is_symlink():
            yield from ("--symlink", os.readlink(entry.path), path)
        elif entry.is_dir() or entry.is_file():
            yield from ("--ro-bind", entry.path, path)


def _ways(points: Iterable[str]) -> frozenset[str]:
    """Return all directories above points, and the points."""
    return frozenset(
        point[:place]
        for point in points
        for place in [*(at for at, letter in enumerate(point) if letter == "/" and at), len(point)]
    )


def _is_fresh_inside(point: str) -> bool:
    return any(point.startswith(fresh + "/") for fresh in FRESH)


def _is_directory(image: str, point: str) -> bool:
    """Return whether the image has a directory there, with no link on the way: links may lead anywhere."""
    ways = sorted(_ways([point]))
    return all(os.path.isdir(image + way) and not os.path.islink(image + way) for way in ways)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return what a directory of the image holds; nothing if it is none, or closed to us."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
