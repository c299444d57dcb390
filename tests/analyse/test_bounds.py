"""What bounds phases of runs whose use is planted: the whole way that ``longpole explain`` goes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longpole.analyse.arrays import numbers, whole
from longpole.model.bounds import Bounded
from longpole.model.execution import Metric
from tests.analyse.planted_bounds import PlantedUse, gains, held, used
from tests.analyse.planted_usage import MILLISECOND, RATES_OF_KINDS, planted

ALL_CORES, OWN_CORES = ("cores", "saturated"), ("cores", "own")


def one_process(*phases, cores=2, host=None):
    """A process of phases that follow each other: name, seconds, cores used; read every tenth of a second."""
    length = sum(seconds for _, seconds, _ in phases)
    run = PlantedUse(length, cores)
    python, at = run.process("python", 0, length), 0.0
    for name, seconds, rate in phases:
        run.phase("phase", name, at, at + seconds, python, process=python)
        for tenth in range(round(10 * seconds)):
            run.read(python, at + tenth / 10, at + tenth / 10 + 0.1, rate)
        at += seconds
    if host is not None:
        run.host(0, length, host)
    return run


def test_a_phase_that_uses_all_cores_is_bound_by_them_and_one_that_sleeps_by_nothing_seen():
    run = one_process(("compute", 6.0, 2.0), ("sleep", 4.0, 0.0))

    compute, sleep = run.bound("compute"), run.bound("sleep")

    assert held(compute) == {ALL_CORES: pytest.approx(1.0)}
    assert compute.seconds == pytest.approx(6.0)
    assert used(compute) == pytest.approx(2.0)
    assert gains(compute) == {"cores": pytest.approx(6.0)}
    assert (sleep.held, sleep.gains, sleep.waiting_share) == ((), (), pytest.approx(1.0))


def test_a_phase_with_one_thread_is_bound_by_its_own_core_even_if_others_fill_the_host():
    for host in (1.0, 2.0):
        spin = one_process(("spin", 5.0, 0.98), cores=2, host=host).bound("spin")

        assert held(spin) == {OWN_CORES: pytest.approx(1.0)}
        assert spin.held[0].amount == 1.0


def test_a_phase_that_computes_for_a_part_of_its_time_is_held_by_its_core_for_that_part():
    load = one_process(("load", 5.0, 0.4), cores=2, host=0.5).bound("load")

    assert held(load) == {OWN_CORES: pytest.approx(0.4)}
    assert load.waiting_share == pytest.approx(0.6)
    assert gains(load) == {"cores": pytest.approx(2.0)}


def test_a_phase_of_four_threads_is_bound_by_its_four_cores():
    four = one_process(("train", 5.0, 3.9), cores=64, host=4.0).bound("train")

    assert held(four) == {OWN_CORES: pytest.approx(1.0)}
    assert four.held[0].amount == 4.0


def test_processes_that_share_too_few_cores_are_bound_by_all_of_them():
    run = PlantedUse(10.0, cores=2)
    shell = run.process("sh", 0, 10)
    for _ in range(4):
        python = run.process("python", 0, 10, parent=shell)
        run.read(python, 0, 10, 0.5)
    run.read(shell, 0, 10, 0.0)
    run.host(0, 10, 2.0)

    assert held(run.bound("python")) == {ALL_CORES: pytest.approx(1.0)}
    assert run.bound("python").count == 4
    assert held(run.bound("sh")) == {("processes that it started", "blocked"): pytest.approx(1.0)}
    assert run.bounded().bounds[-1].what == "sh"


def test_a_parent_that_computes_beside_its_process_is_not_blocked_by_it():
    run = PlantedUse(10.0, cores=4)
    driver = run.process("driver", 0, 10)
    helper = run.process("helper", 0, 10, parent=driver)
    run.read(driver, 0, 10, 1.0)
    run.read(helper, 0, 10, 0.2)
    run.host(0, 10, 1.2)

    assert held(run.bound("driver")) == {OWN_CORES: pytest.approx(1.0)}


def test_short_processes_that_were_never_read_are_told_by_their_totals():
    run = PlantedUse(10.0, cores=2)
    shell = run.process("sh", 0, 10)
    run.read(shell, 0, 10, 0.0)
    for at in range(100):
        task = run.process("task", at / 10, at / 10 + 0.1, parent=shell)
        run.total(task, Metric.CPU_USER, 0.098e9)

    assert used(run.bound("task")) == pytest.approx(0.98)
    assert held(run.bound("task")) == {OWN_CORES: pytest.approx(1.0)}


def test_a_disk_that_is_never_idle_bounds_those_who_use_it():
    run = PlantedUse(10.0)
    writer, sleeper = run.process("dd", 0, 10), run.process("sleep", 0, 10)
    for process, rate in ((writer, 0.2), (sleeper, 0.0)):
        run.read(process, 0, 10, rate)
    run.read(writer, 0, 10, 200e6, "storage", "written")
    run.sample("disk", "busy", 0, 10, 1.0, name="vda", owner=1)

    dd = run.bound("dd")

    assert held(dd) == {("disk vda", "saturated"): pytest.approx(1.0)}
    # without the disk its work on a fifth of a core is left: min(1, 1 - 0.2) of 10 s
    assert gains(dd) == {"disk vda": pytest.approx(8.0)}
    assert used(dd, "storage written") == pytest.approx(200e6)
    assert run.bound("sleep").held == ()


def test_a_gpu_is_told_apart_by_phases_and_its_idle_time_by_waits_for_data():
    # the GPU computes, or the loader is waited for, some tenths of a second at a time; samples see means
    run = PlantedUse(60.0)
    python, rng = run.process("python", 0, 60), np.random.default_rng(1)
    run.read(python, 0, 60, 0.3)
    busy = np.zeros(600)
    at = 0
    while at < 600:
        length = min(int(rng.integers(2, 8)), 600 - at)
        kind = "data" if at % 2 else "forward"
        run.phase(kind, kind, at / 10, (at + length) / 10, python, process=python)
        busy[at : at + length] = kind == "forward"
        at += length
    for second in range(60):
        mean = float(busy[10 * second : 10 * second + 10].mean())
        run.sample(
            "gpu", "busy", second, second + 1, mean, name="H200 #0", scope="tree", owner=1, capacity=1.0
        )

    forward, data = run.bound("forward"), run.bound("data")
    gpu = next(one for one in run.bounded().utilisation if one.resource == "H200 #0")

    assert used(forward, "GPU") == pytest.approx(1.0, abs=0.05)
    assert used(data, "GPU") == pytest.approx(0.0, abs=0.05)
    assert held(forward)["GPU", "saturated"] >= 0.9
    assert gpu.ours == pytest.approx(busy.mean())
    assert gpu.data_wait_share == pytest.approx(1.0, abs=0.05)


def test_others_on_the_host_are_told():
    run = one_process(("train", 10.0, 1.5), cores=2, host=2.0)

    cores = run.bounded().utilisation[0]

    assert (cores.resource, cores.capacity) == ("cores", 2)
    assert (cores.ours, cores.others) == (pytest.approx(1.5), pytest.approx(0.5))
    assert cores.contended_share == pytest.approx(1.0)


def test_phases_of_100_ms_are_told_apart_by_samples_of_a_second_to_5_per_cent():
    work, samples, kind, truth = planted(seed=3)
    run = PlantedUse(600.0, cores=4)
    python = run.process("python", 0, 600)
    names = tuple(RATES_OF_KINDS)
    start, end = whole(work.phases["start_ns"]), whole(work.phases["end_ns"])
    for place, (begin, ended) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        run.phase("phase", names[kind[place]], begin / 1e9, ended / 1e9, python, process=python)
    for second, value in enumerate(numbers(samples["value"]).tolist()):
        run.read(python, second, second + 1, value)

    found = {one.what: one for one in run.bounded().bounds}

    for at, name in enumerate(names):
        mass = used(found[name]) * found[name].seconds
        assert mass == pytest.approx(truth[at], rel=0.05), name
    assert MILLISECOND < np.median(end - start) <= 110 * MILLISECOND


def test_of_too_many_phases_the_longest_count_and_the_rest_is_not_sampled():
    run = one_process(*[("long", 1.0, 1.0), ("short", 0.1, 1.0)] * 5)

    found = run.bounded(most_rows=5)

    assert [one.what for one in found.bounds] == ["long"]
    assert "left out" in found.limits[-1]


def test_at_most_ten_groups_are_listed():
    run = one_process(*[(f"phase {at}", 0.5, 1.0) for at in range(15)])

    assert len(run.bounded().bounds) == 10


def test_a_run_without_samples_says_nothing():
    run = PlantedUse(10.0)
    run.process("python", 0, 10)

    assert run.bounded() == Bounded()


# ------------------------------------------------------------------------------------------ properties

RATE = st.floats(0, 2.2, allow_subnormal=False)
PHASES = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(1, 5), st.integers(0, 20), st.integers(0, 20)), max_size=8
)


@settings(max_examples=60, deadline=None)
@given(PHASES, st.lists(RATE, min_size=5, max_size=5), st.lists(RATE, min_size=4, max_size=20), RATE)
def test_shares_of_what_holds_a_phase_sum_to_one_and_no_gain_exceeds_its_time(phases, rates, host, busy):
    run = PlantedUse(20.0)
    processes = [run.process("python", 0, 20) for _ in range(5)]
    for name, at, one, other in phases:
        process = processes[at - 1]
        run.phase("phase", name, min(one, other), max(one, other), process, process=process)
    for process, rate in zip(processes, rates, strict=True):
        run.read(process, 0, 13, rate)
        run.read(process, 3, 17, rate * 5e6, "storage", "read")
    for second, value in enumerate(host):
        run.host(second, second + 1, value)
    run.sample("disk", "busy", 2, 19, min(busy, 1.0), name="vda", owner=1)

    found = run.bounded()

    for one in found.bounds:
        total = sum(part.share for part in one.held) + one.waiting_share + one.unseen_share
        assert total <= 1 + 1e-6
        assert total >= 1 - 0.01 * 6  # what held it for less than a two-hundredth is not listed
        assert all(0 <= gain.seconds <= one.seconds * (1 + 1e-6) for gain in one.gains)
        assert used(one) <= 2 + 1e-6


@settings(max_examples=60, deadline=None)
@given(PHASES, st.lists(st.floats(0, 2, allow_subnormal=False), min_size=5, max_size=5))
def test_what_phases_used_adds_up_to_what_was_sampled(phases, rates):
    run = PlantedUse(20.0)
    processes = [run.process(f"p{at}", 0, 20) for at in range(5)]
    for name, at, one, other in phases:
        process = processes[at - 1]
        run.phase("phase", name, min(one, other), max(one, other), process, process=process)
    for process, rate in zip(processes, rates, strict=True):
        run.read(process, 0, 20, rate)

    mass = sum(used(one) * one.seconds for one in run.bounded().bounds)

    assert mass == pytest.approx(20 * sum(rates), rel=1e-6, abs=1e-6)
