"""TOML files: how they are read, and the one sentence that says why one cannot be."""

from __future__ import annotations

import tomllib
from pathlib import Path

from longpole.describe.table import Table
from longpole.describe.text_file import read_text
from longpole.errors import UsageError
from longpole.model.text import visible

_LARGEST_BYTES = 1_000_000


def read_toml(path: Path) -> Table:
    """Return what a file holds.

    Raises:
        UsageError: It is not there, not a file of ordinary size, not UTF-8 or not TOML.
    """
    text = read_text(path, _LARGEST_BYTES, UsageError)
    return parse_toml(text, str(path))


def parse_toml(text: str, origin: str) -> Table:
    """Return what a text holds; ``origin`` is what errors call it."""
    try:
        return Table(tomllib.loads(text), visible(origin))
    except RecursionError as error:
        raise UsageError(f"{visible(origin)} is not TOML that we can read: it is nested too deep.") from error
    except ValueError as error:
        raise UsageError(f"{visible(origin)} is not TOML: {visible(str(error))}.") from error
