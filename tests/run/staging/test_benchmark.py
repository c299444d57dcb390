"""The benchmark of staging works at a small scale; what it measures there is not judged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.parts import need

ROOT = Path(__file__).resolve().parents[3]


def test_the_benchmark_runs_and_prints_ratios() -> None:
    need("wget")
    command = [sys.executable, "-m", "benchmarks.staging", "--files", "300", "--rounds", "1"]
    command += ["--disk-rounds", "1", "--wgets", "10", "--json"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)

    found = json.loads(done.stdout)
    assert done.returncode == (0 if all(found["gates"].values()) else 1)
    assert set(found["targets"]) == {"tmpfs", "disk"}
    assert found["targets"]["tmpfs"]["over_tar"]["http"]["median"] > 0
    assert found["targets"]["tmpfs"]["times_wget"]["wget"]["median"] == 1
