"""File systems for the tests of staging: one that is soon full, one that shares blocks; root mounts them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.parts import need


@contextmanager
def small_tmpfs(folder: Path, size: str = "2m") -> Iterator[Path]:
    """Mount a small file system of its own."""
    need("root")
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def sharing_disk(folder: Path) -> Iterator[Path]:
    """Mount a file system on which files can share blocks."""
    need("root", "btrfs")
    folder.mkdir()
    image = folder.with_suffix(".img")
    with open(image, "wb") as file:
        file.truncate(200_000_000)
    subprocess.run(["mkfs.btrfs", "--quiet", str(image)], check=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)
