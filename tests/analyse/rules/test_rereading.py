"""Epochs that read the same files again."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.rereading import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first

_EPOCHS, _FILES = 10, 20


def planted_run(seed: int, storage_bytes: int | None, times: int = _EPOCHS) -> tuple[Planted, float, float]:
    """Return epochs that read and fit, how long reading takes, and which share of it is again."""
    rng = np.random.default_rng(seed)
    read, fit = rng.normal(4.0, 0.3, _EPOCHS), rng.normal(2.0, 0.2, _EPOCHS)
    planted = Planted(float(read.sum() + fit.sum()))
    top = planted.phase("process", "python train.py", 0.0, float(read.sum() + fit.sum()), process=1)
    begin = 0.0
    for one, other in zip(read, fit, strict=True):
        planted.phase("phase", "read data", begin, begin + one, parent=top, process=1)
        planted.phase("phase", "fit", begin + one, begin + one + other, parent=top, process=1)
        begin += one + other
    for number in range(_FILES):
        planted.opened(f"/data/part-{number}.npy", int(rng.normal(50e6, 5e6)), times=times)
    planted.facts(storage_read_bytes=storage_bytes)
    return planted, float(read.sum()), 1.0 - 1.0 / times


@pytest.mark.parametrize("seed", SEEDS)
def test_reading_again_is_found_first_with_its_saving(seed: int):
    planted, read_s, again = planted_run(seed, storage_bytes=9_500_000_000)

    found = first(planted)

    assert (found.rule, found.phase) == ("re-reading", "read data")
    assert_near(found.saving_s, read_s * again, 0.01)
    assert "10.0 times their size" in found.evidence[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_memory_kept_the_files(seed: int):
    planted, _, _ = planted_run(seed, storage_bytes=1_050_000_000)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_files_are_read_twice(seed: int):
    planted, _, _ = planted_run(seed, storage_bytes=9_500_000_000, times=2)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_pressure_tells_of_real_reading_too(seed: int):
    planted, read_s, again = planted_run(seed, storage_bytes=None)
    for second in range(int(read_s)):
        for metric in ("io some", "io full"):
            planted.sample("pressure", metric, second, second + 1.0, 0.5, owner=1, capacity=1.0)

    found = first(planted)

    assert found.rule == "re-reading"
    assert found.saving_s >= 0.99 * read_s * again
    assert 0 < found.saving_low_s < found.saving_s


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_without_files(seed: int):
    planted = Planted(20.0)
    planted.phase("data", "data", 0.0, 20.0)
    planted.facts(storage_read_bytes=10_000_000_000 + seed)

    assert list(RULE.look(planted.case())) == []
