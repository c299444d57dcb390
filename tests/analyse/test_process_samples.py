from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.lives import lives_of
from longpole.analyse.process_samples import CORES, READ
from longpole.model.execution import Metric
from tests.analyse.planted import S
from tests.analyse.planted_bounds import PlantedUse
from tests.analyse.workloads import listed

LIFE = lives_of(np.array([2]), np.array([0]), np.array([10 * S]))


def readings(run, counter=CORES):
    found = run.process_samples().of(counter, LIFE)
    return [(start / S, end / S, value) for start, end, value in listed(found, "start_ns", "end_ns", "value")]


def test_what_was_used_after_the_last_reading_follows_from_the_total():
    # 4 of 9 core-seconds were read until second 4; 5 are left for the other 6 s
    run = PlantedUse(10.0)
    run.read(2, 0, 4, 1.0)
    run.total(2, Metric.CPU_USER, 8e9)
    run.total(2, Metric.CPU_SYSTEM, 1e9)

    assert readings(run) == [(0, 4, 1.0), (4, 10, pytest.approx(5 / 6))]


def test_a_process_that_was_never_read_has_its_total_over_its_life():
    run = PlantedUse(10.0)
    run.total(2, Metric.CPU_USER, 5e9)

    assert readings(run) == [(0, 10, 0.5)]


def test_without_a_total_nothing_is_known_after_the_last_reading():
    run = PlantedUse(10.0)
    run.read(2, 0, 4, 1.0)

    assert readings(run) == [(0, 4, 1.0)]


def test_less_in_all_than_was_read_leaves_nothing_for_the_rest():
    run = PlantedUse(10.0)
    run.read(2, 0, 4, 1.0)
    run.total(2, Metric.CPU_USER, 3.9e9)

    assert readings(run)[1] == (4, 10, 0.0)


def test_bytes_that_no_reading_tells_of_were_not_moved():
    run = PlantedUse(10.0)
    run.read(2, 0, 8, 0.1)
    run.read(2, 2, 4, 100.0, "storage", "read")
    run.total(2, Metric.STORAGE_READ, 400.0)

    assert readings(run, READ) == [(0, 2, 0.0), (2, 4, 100.0), (4, 8, 0.0), (8, 10, 100.0)]


def test_readings_that_overlap_are_cut():
    run = PlantedUse(10.0)
    run.read(2, 0, 5, 1.0)
    run.read(2, 4, 10, 0.5)

    assert readings(run) == [(0, 4, 1.0), (4, 10, 0.5)]
