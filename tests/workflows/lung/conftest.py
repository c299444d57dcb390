"""Small chests for the tests of the lung workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.lung.micro import Micro, make_micro


@pytest.fixture
def micro(tmp_path: Path) -> Micro:
    """Give a folder of prepared pictures of its own."""
    need("torch", "optuna")
    return make_micro(tmp_path)
