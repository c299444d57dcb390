"""TOML files: how they are read, and the one sentence that says why one cannot be."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

from longpole.describe.table import Table
from longpole.errors import UsageError
from longpole.model.text import visible

_LARGEST_BYTES = 1_000_000


def read_toml(path: Path) -> Table:
    """Return what a file holds.

    Raises:
        UsageError: It is not there, not a file of ordinary size, not UTF-8 or not TOML.
    """
    name = visible(str(path))
    try:
        content = _content(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"Cannot read {name}: {reason}.") from error
    if len(content) > _LARGEST_BYTES:
        raise UsageError(f"Cannot read {name}: it is larger than 1 MB, which no description is.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(f"Cannot read {name}: it is not UTF-8 text at line {line}.") from error
    return parse_toml(text, str(path))


def parse_toml(text: str, origin: str) -> Table:
    """Return what a text holds; ``origin`` is what errors call it."""
    try:
        return Table(tomllib.loads(text), visible(origin))
    except RecursionError as error:
        raise UsageError(f"{visible(origin)} is not TOML that we can read: it is nested too deep.") from error
    except ValueError as error:
        raise UsageError(f"{visible(origin)} is not TOML: {visible(str(error))}.") from error


def _content(path: Path) -> bytes:
    # Without waiting: a pipe that nobody writes to would hold us for ever.
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(opened, "rb") as file:
        kind = os.fstat(opened).st_mode
        if not stat.S_ISREG(kind):
            raise ValueError("it is a folder" if stat.S_ISDIR(kind) else "it is not a file")
        return file.read(_LARGEST_BYTES + 1)
