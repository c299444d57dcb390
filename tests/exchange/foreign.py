"""Files of other systems as tests give them: from bytes, without a disk; and the real traces."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from longpole.exchange.opening import HEAD_BYTES, OpenedFile, opened

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Given:
    """A file that is only its bytes; see ``model.ports.ForeignFile``."""

    content: bytes
    name: str = "trace"
    path: str = "/nowhere/trace"

    @property
    def head(self) -> bytes:
        return self.content[:HEAD_BYTES]

    def read(self) -> bytes:
        return self.content


def given(text: str | bytes, name: str = "trace") -> Given:
    """Return a file of this content."""
    return Given(text.encode() if isinstance(text, str) else text, name)


def real_trace(name: str) -> OpenedFile:
    """Return a real trace of another system; skips the test where they are not there."""
    folder = Path(os.environ.get("LONGPOLE_TRACES") or ROOT.parent / "shared" / "data")
    found = sorted(folder.glob(name))
    if not found:
        pytest.skip(f"needs the real trace {name}: not in {folder} (LONGPOLE_TRACES names another place)")
    with opened([str(found[0])]) as [file]:
        return file
