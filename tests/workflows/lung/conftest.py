"""Small chests for the tests of the lung workflow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.lung.micro import Micro, make_micro


@pytest.fixture
def micro(tmp_path: Path) -> Iterator[Micro]:
    """Give a folder of prepared pictures; what programs say to PyTorch in this process is taken back."""
    need("torch", "optuna")
    import torch

    threads = torch.get_num_threads()
    yield make_micro(tmp_path)
    torch.set_num_threads(threads)
