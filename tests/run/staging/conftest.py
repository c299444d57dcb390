"""What the tests of the way of HTTP share: a server, what it keeps, and the folder of a job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.run.staging.server import FileServer


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept"


@pytest.fixture
def job(tmp_path: Path) -> str:
    (tmp_path / "job").mkdir()
    return str(tmp_path / "job")


@pytest.fixture
def server(kept: Path) -> Iterator[FileServer]:
    with FileServer([str(kept)]) as server:
        yield server
