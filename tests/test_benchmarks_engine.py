"""The benchmark of engines: that it measures what it says, at sizes that tell nothing of speed."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.engine_growth import exponent, kilobytes_per_task, last_exponent, per_task_us
from benchmarks.engine_peers import Measured
from benchmarks.engine_report import memory_gate, share_gate
from benchmarks.engine_runs import CommandError, spend

ENGINE = Path(__file__).resolve().parent.parent / "benchmarks" / "engine.py"


@pytest.mark.timeout(400)  # some sixty short commands, on a machine that others may use
def test_a_small_benchmark_runs_every_case_of_ours_beside_bare_ones(tmp_path):
    found = _engine(
        "--small", "--snakemake-tasks", "0", "--tasks", "40", "--sizes", "20,40", "--disk", str(tmp_path)
    )

    results = json.loads(found.stdout)
    assert results["cases"].keys() == {"fan-out", "outputs", "chain", "functions", "disk"}
    for rounds in results["cases"].values():
        assert all(rounds[0][name]["rate"] > 0 for name in ("bare", "bare-again", "longpole"))
    joined = {name: rounds[0]["longpole"]["tasks"] - 40 for name, rounds in results["cases"].items()}
    assert joined == {"fan-out": 1, "outputs": 1, "chain": 0, "functions": 1, "disk": 1}
    assert [row["tasks"] for row in results["growth"]["functions"]] == [1, 20, 40]
    assert len(results["gates"]) == 3 + 2 + 4
    assert "left out: Dask" in found.stderr
    assert not list(tmp_path.iterdir())


def test_an_unknown_case_is_named():
    found = _engine("--only", "fanout")

    assert found.returncode == 2
    assert "There is no case 'fanout'; the cases are fan-out,outputs" in found.stderr


def test_time_that_grows_with_the_tasks_has_an_exponent_of_one():
    rows = [
        {"tasks": size, "cpu_s": 0.5 + 0.001 * size, "mb": 30 + 0.002 * size} for size in (1, 1000, 100_000)
    ]

    assert per_task_us(rows)[100_000] == pytest.approx(1000, rel=1e-3)
    assert exponent(per_task_us(rows)) == pytest.approx(1, abs=1e-3)
    assert kilobytes_per_task(rows) == pytest.approx(2)


def test_a_last_step_that_grows_faster_shows_though_the_fit_hides_it():
    each_us = {1e3: 200.0, 1e4: 100.0, 1e5: 200.0}

    assert exponent(each_us) == pytest.approx(1)
    assert last_exponent(each_us) == pytest.approx(1.301, abs=1e-3)


def test_what_is_hidden_by_starting_has_no_exponent():
    assert math.isnan(exponent({100: -3.0, 1000: 2.0}))


def test_a_share_is_that_of_both_bare_ones():
    rounds = [{name: Measured(100, 100 / rate, 1.0, 20.0) for name, rate in _RATES.items()}]

    assert share_gate("case", rounds, 0.7).line() == "holds        case, at least 70%: 75.0%"
    assert share_gate("case", rounds, 0.8).line() == "falls short  case, at least 80%: 75.0%"


_RATES = {"bare": 1100.0, "longpole": 750.0, "bare-again": 900.0}


def test_a_driver_of_unknown_memory_falls_short():
    assert not memory_gate([50.0, math.nan]).holds
    assert not memory_gate([math.nan, 50.0]).holds
    assert memory_gate([50.0, 60.0]).holds


def test_a_command_that_fails_or_takes_too_long_is_told_with_what_it_said():
    with pytest.raises(CommandError, match=r"ended with 3\. .*no such thing"):
        spend(["sh", "-c", "echo no such thing >&2; exit 3"])
    with pytest.raises(CommandError, match="It took more than 0 s"):
        spend(["sleep", "60"], limit_s=0.2)


def _engine(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ENGINE), *arguments, "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)
