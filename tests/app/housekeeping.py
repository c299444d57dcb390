"""Calling the command line in this process, on runs made by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from longpole.app.main import cli


@dataclass(frozen=True)
class Called:
    """What a command returned and wrote."""

    code: int
    out: str
    err: str


class Desk:
    """A folder of runs, and the command line."""

    def __init__(self, runs: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.runs = runs
        self._capture = capture

    def call(self, *arguments: str) -> Called:
        """Call ``longpole`` with some arguments."""
        self._capture.readouterr()
        code = cli([*arguments, "--runs", str(self.runs)])
        out, err = self._capture.readouterr()
        return Called(code, out, err)
