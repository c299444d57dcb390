"""Fixtures for tests of workflows: each worker of pytest has a core of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def own_core() -> Iterator[None]:
    """Keep what a test starts on one core while other tests run beside it.

    Threads of PyTorch wait for each other by spinning: two trainings of two threads each on two cores take
    several times as long as one after the other.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        yield
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})
    yield
    os.sched_setaffinity(0, cores)
