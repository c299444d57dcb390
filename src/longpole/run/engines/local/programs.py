"""Finding the file of a program by its name, once for each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache


def find_program(name: str, environment: Mapping[str, str]) -> str:
    """Return the file of a program, as a shell finds it.

    Raises:
        FileNotFoundError: There is none.
    """
    return name if "/" in name else _find(name, environment.get("PATH") or os.environ.get("PATH", os.defpath))


@lru_cache(4096)
def _find(name: str, path: str) -> str:
    for folder in path.split(os.pathsep):
        file = os.path.join(folder or ".", name)
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return os.path.abspath(file)
    raise FileNotFoundError(name)
