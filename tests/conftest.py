"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.parts import need
from tests.recording import Someone, somebody


@pytest.fixture
def user() -> Iterator[Someone]:
    """Whoever runs the tests."""
    with somebody(nobody=False) as someone:
        yield someone


@pytest.fixture
def nobody() -> Iterator[Someone]:
    """An ordinary user without any privilege."""
    need("nobody")
    with somebody(nobody=True) as someone:
        yield someone


@pytest.fixture(params=["self", "nobody"])
def anyone(request: pytest.FixtureRequest) -> Iterator[Someone]:
    """Whoever runs the tests, and then an ordinary user."""
    if request.param == "nobody":
        need("nobody")
    with somebody(nobody=request.param == "nobody") as someone:
        yield someone
