"""A disk that is soon full, for the tests of staging; needs root."""

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
