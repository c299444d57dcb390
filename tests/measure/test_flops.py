from __future__ import annotations

import subprocess
import sys

import pytest

from longpole.measure.flops import Flops, fitting
from longpole.measure.probe import UnmeasurableError

ONE_THREAD = """
from longpole.measure.flops import Flops
probe = Flops()
print(probe.trial()["flops"] > 0, probe.how)
probe.close()
"""


def test_a_trial_is_a_rate():
    probe = Flops()

    found = probe.trial()

    probe.close()
    assert set(found) == {"flops"}
    assert 1e8 < found["flops"] < 1e15


def test_a_library_held_to_one_thread_still_runs():
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ":".join(sys.path)}

    done = subprocess.run(
        [sys.executable, "-c", ONE_THREAD], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("True FP64 matrix products by numpy")


def test_matrices_are_no_larger_than_memory_permits():
    size = fitting(1e18, memory_bytes=240_000_000)

    assert 24 * size**2 <= 240_000_000


def test_too_little_memory_is_said():
    with pytest.raises(UnmeasurableError, match="too little memory"):
        fitting(1e9, memory_bytes=1000)
