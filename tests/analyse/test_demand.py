"""What processes want of the cores."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.change import Change
from longpole.analyse.demand import BusyCores, CoreTime, demand
from longpole.analyse.replay import Replay
from tests.analyse.planted import Planted, S


def busy(*cores: float) -> BusyCores:
    """A sample each second, of two cores."""
    starts = np.arange(len(cores)) * S
    return BusyCores(starts, starts + S, np.array(cores), 2.0)


def test_what_waited_for_a_core_would_take_less_alone():
    # four processes of 10 s on two cores, 5 s of CPU each, the host saturated throughout
    run = Planted(10.0)
    main = run.phase("process", "pool", 0.0, 10.0, process=9)
    for process in (1, 2, 3, 4):
        run.phase("process", "task", 0.0, 10.0, parent=main, process=process)
    tree = run.tree()

    found = demand(tree, CoreTime(dict.fromkeys((1, 2, 3, 4), 5.0 * S), {}), busy(*[2.0] * 10))

    assert found.alone[2:].tolist() == pytest.approx([0.5] * 4)
    assert found.cores[2:].tolist() == pytest.approx([1.0] * 4)
    two = Replay(tree, demand=found).replay(Change(slots={1: 2}, cores=2.0)).makespan_ns
    assert two / S == pytest.approx(10.0, rel=0.01)  # two at a time, 5 s each


def test_what_slept_beside_free_cores_takes_as_long_alone():
    run = Planted(10.0)
    run.phase("process", "sleep", 0.0, 10.0, process=1)

    found = demand(run.tree(), CoreTime({1: 1.0 * S}, {}), busy(*[0.1] * 10))

    assert (found.alone[1], found.cores[1]) == (1.0, pytest.approx(0.1))


def test_only_the_time_that_was_full_counts():
    assert busy(2.0, 0.0, 2.0, 0.0).saturated_share(np.array([0]), np.array([4 * S])) == pytest.approx(0.5)
    assert busy(2.0, 0.0).saturated_share(np.array([S]), np.array([2 * S])) == pytest.approx(0.0)


def test_nothing_known_is_no_demand():
    run = Planted(10.0)
    run.phase("process", "task", 0.0, 10.0, process=1)

    found = demand(run.tree(), CoreTime({}, {}), None)

    assert (found.alone[1], found.cores[1]) == (1.0, 0.0)


def test_a_wait_that_was_told_is_taken_however_busy_the_host_was():
    run = Planted(10.0)
    run.phase("process", "task", 0.0, 10.0, process=1)

    found = demand(run.tree(), CoreTime({1: 4.0 * S}, {1: 2.0 * S}), busy(*[0.5] * 10))

    assert (found.alone[1], found.cores[1]) == (pytest.approx(0.8), pytest.approx(0.5))


def test_of_threads_side_by_side_the_same_share_is_lost():
    run = Planted(10.0)
    run.phase("process", "task", 0.0, 10.0, process=1)

    found = demand(run.tree(), CoreTime({1: 10.0 * S}, {1: 10.0 * S}), busy(*[2.0] * 10))  # two of them

    assert (found.alone[1], found.cores[1]) == (pytest.approx(0.5), pytest.approx(2.0))


def test_what_a_worker_did_was_done_in_its_jobs():
    run = Planted(10.0)
    worker = run.phase("process", "worker", 0.0, 10.0, process=1)
    job = run.phase("job", "fit", 0.0, 4.0, parent=worker, process=1)

    found = demand(run.tree(), CoreTime({1: 4.0 * S}, {1: 0.0}), None)

    assert found.cores[job - 1] == pytest.approx(1.0)


def test_cores_that_others_used_are_not_there():
    run = Planted(10.0)
    run.phase("process", "task", 0.0, 10.0, process=1)

    found = demand(run.tree(), CoreTime({1: 5.0 * S}, {}), busy(*[1.2] * 10))

    assert found.there == pytest.approx(2.0 - 0.7)
