"""A micro set of posts for all tests of Crisis' files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.crisis.micro import generate, prepare


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> Path:
    """Posts in the published layout; nobody changes them."""
    need("pillow")
    folder: Path = tmp_path_factory.mktemp("posts")
    return generate(folder)


@pytest.fixture(scope="session")
def prepared(data, tmp_path_factory) -> Path:
    """Texts and pictures as the first jobs leave them."""
    folder: Path = tmp_path_factory.mktemp("prepared")
    prepare(data, folder)
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
