"""A training that waits for very many small files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from longpole.analyse.rules.small_files import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first

_STEPS, _DATA_S, _FORWARD_S = 20, 2.0, 1.0


def planted_run(seed: int, cpu_in_data: float, file_bytes: int = 20_000) -> tuple[Planted, float]:
    """Return steps of data and forward, and for how long the CPU is idle in data."""
    rng = np.random.default_rng(seed)
    planted = Planted(_STEPS * (_DATA_S + _FORWARD_S))
    top = planted.phase("process", "python train.py", 0.0, _STEPS * (_DATA_S + _FORWARD_S), process=1)
    idle = 0.0
    for step in range(_STEPS):
        begin = step * (_DATA_S + _FORWARD_S)
        middle, end = begin + _DATA_S, begin + _DATA_S + _FORWARD_S
        planted.phase("data", "data", begin, middle, parent=top, process=1)
        planted.phase("forward", "forward", middle, end, parent=top, process=1)
        used = min(1.0, max(0.0, rng.normal(cpu_in_data, 0.02)))
        idle += (1.0 - used) * _DATA_S
        planted.sample("cpu", "used", begin, middle, used, scope="process", owner=1, capacity=4.0)
        planted.sample("cpu", "used", middle, end, 1.0, scope="process", owner=1, capacity=4.0)
    for number in range(5_000):
        planted.opened(f"/data/{number}.jpg", int(rng.normal(file_bytes, file_bytes / 10)))
    return planted, idle


@pytest.mark.parametrize("seed", SEEDS)
def test_waiting_for_small_files_is_found_first_with_its_saving(seed: int):
    planted, idle_s = planted_run(seed, cpu_in_data=0.1)

    found = first(planted)

    assert (found.rule, found.phase) == ("small-files", "data")
    assert_near(found.saving_s, idle_s - 5_000 * 20_000 / 150e6, 0.01)
    assert "5,000 files" in found.evidence[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_data_is_computed_rather_than_waited_for(seed: int):
    planted, _ = planted_run(seed, cpu_in_data=1.1)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_files_are_large(seed: int):
    planted, _ = planted_run(seed, cpu_in_data=0.1, file_bytes=400_000)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_pressure_tells_of_waiting_in_phases_of_any_kind(seed: int):
    rng = np.random.default_rng(seed)
    planted = Planted(30.0)
    planted.phase("phase", "index", 0.0, 30.0, process=1)
    stalls = rng.uniform(0.3, 0.5, 30)
    for second, stalled in enumerate(stalls):
        for metric in ("io some", "io full"):
            planted.sample("pressure", metric, second, second + 1.0, stalled, owner=1, capacity=1.0)
    for number in range(2_000):
        planted.opened(f"/data/{number}.txt", 1_000)

    found = first(planted)

    assert (found.rule, found.phase) == ("small-files", "index")
    assert_near(found.saving_s, float(stalls.sum()), 0.01)


def test_files_of_programs_are_no_data():
    planted, _ = planted_run(0, cpu_in_data=0.1)
    programs = Planted(10.0)
    for number in range(5_000):
        programs.opened(f"/opt/env/lib/python3.12/site-packages/m{number}.py", 5_000)
        programs.opened(f"/usr/share/{number}", 5_000)
    case = planted.case()

    assert list(RULE.look(case))
    assert list(RULE.look(replace(case, opens=programs.case().opens))) == []
