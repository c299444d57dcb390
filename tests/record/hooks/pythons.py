"""Other Pythons of this machine, for tests of what loads into any of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

VERSIONS = ("3.8", "3.9", "3.10", "3.12", "3.13")


def find_python(version: str) -> str:
    """Return a Python of a version, or skip the running test where there is none."""
    managed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    installed = shutil.which(f"python{version}", path="/usr/bin:/usr/local/bin")
    if not managed and installed is None:
        pytest.skip(f"there is no Python {version} here")
    return str(managed[0]) if managed else str(installed)
