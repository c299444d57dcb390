"""What a task has printed, as a file that an engine has kept of it."""

from __future__ import annotations

import os

_TAIL_BYTES = 8192


def last_lines(path: str, count: int) -> list[str]:
    """Return the last lines of a file that are not empty."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-count:]
