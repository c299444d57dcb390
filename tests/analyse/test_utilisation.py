from __future__ import annotations

import pytest

from tests.analyse.planted_bounds import PlantedUse


def cores(run):
    return next(one for one in run.bounded().utilisation if one.resource == "cores")


def test_what_the_run_leaves_of_the_host_is_others():
    run = PlantedUse(10.0, cores=4)
    python = run.process("python", 0, 10)
    run.read(python, 0, 10, 1.0)
    run.host(0, 10, 1.5)

    assert (cores(run).ours, cores(run).others) == (pytest.approx(1.0), pytest.approx(0.5))
    assert cores(run).contended_share == 0.0


def test_a_gpu_without_marked_waits_says_nothing_of_data():
    run = PlantedUse(10.0)
    python = run.process("python", 0, 10)
    run.read(python, 0, 10, 1.0)
    run.sample("gpu", "busy", 0, 10, 0.4, name="H200 #0", scope="device", owner=1)

    (gpu,) = run.bounded().utilisation

    assert (gpu.resource, gpu.data_wait_share) == ("H200 #0", None)
    assert gpu.ours == pytest.approx(0.4)


def test_a_gpu_that_is_idle_while_data_is_waited_for_is_so_for_that_share():
    # busy from 0 to 4 s, idle to 10 s; of these 6 s the process waits 3 for data
    run = PlantedUse(10.0)
    python = run.process("python", 0, 10)
    run.read(python, 0, 10, 1.0)
    for kind, start, end in (("forward", 0, 4), ("data", 4, 7), ("checkpoint", 7, 10)):
        run.phase(kind, kind, start, end, python, process=python)
    for second in range(10):
        run.sample("gpu", "busy", second, second + 1, float(second < 4), name="#0", scope="tree", owner=1)

    (gpu,) = run.bounded().utilisation

    assert gpu.data_wait_share == pytest.approx(0.5)
