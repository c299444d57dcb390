"""Small chests for the tests of the lung workflow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.lung.micro import Micro, make_micro


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread: more of them wait for each other where others use the machine too."""
    if find_spec("torch") is None:
        yield
        return
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def micro(tmp_path: Path) -> Micro:
    """Give a folder of prepared pictures."""
    need("torch", "optuna")
    return make_micro(tmp_path)
