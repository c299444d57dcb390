"""A micro set of galaxies for all tests of Galaxy's programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.galaxy.micro import draw


@pytest.fixture(scope="session")
def pictures(tmp_path_factory) -> Path:
    """Pictures as pre-processing leaves them, and a list of those of each split."""
    need("pillow")
    folder: Path = tmp_path_factory.mktemp("pictures")
    draw(folder)
    return folder


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Let PyTorch use one core: what is computed does not depend on who else is there."""
    need("torch")
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
