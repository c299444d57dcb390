"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.parts import need
from tests.recording import Someone, somebody
from tests.slurm import Slurm, slurm_on_this_host

# How long drawing and trying take is the business of a machine that is shared, and no fault of a test.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")


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


@pytest.fixture(scope="session")
def slurm() -> Iterator[Slurm]:
    """A real Slurm of three nodes, brought up by the first test that asks for it."""
    need("slurm")
    with slurm_on_this_host() as cluster:
        yield cluster
