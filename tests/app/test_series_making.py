"""``longpole run --repeat`` as a user types it: runs in turns, failures, signals, and going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longpole.app import series_making
from longpole.app.series import Series, groups_of
from longpole.app.series_making import Making
from longpole.errors import UsageError
from longpole.run.request import Request
from tests.running import Bench, bench_of, until

ONE_TASK = """
longpole: 1
name: one
parameters: {seconds: "0", code: "0"}
tasks:
  make:
    run: "sleep {seconds}; echo done > {made}; exit {code}"
    outputs: {made: made.txt}
"""

CLOSED = """
longpole: 1
name: closed
tasks:
  make:
    run: "mkdir d; touch d/f; ln -s / d/root; chmod 555 d; exit 1"
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        made.write("one.yaml", ONE_TASK)
        yield made


def manifests(bench: Bench) -> list[dict[str, Any]]:
    return [json.loads((path / "run.json").read_text()) for path in bench.runs()]


def left_in_work(bench: Bench) -> list[Path]:
    work = bench.folder / ".longpole" / "work"
    return sorted(work.glob("series-*/*-*")) if work.is_dir() else []


def test_a_series_is_made_in_turns_and_compared(bench: Bench) -> None:
    done = bench.call("run", "one.yaml", "--repeat", "2", "--placements", "links,clustering")

    assert done.returncode == 0, done.stderr
    made = manifests(bench)
    assert {one["series"] for one in made} == {"one-1"}
    assert [one["series_round"] for one in made] == [1, 1, 2, 2]
    assert "series 'one-1': 2 rounds, 2 groups in turns" in done.stderr
    assert "4/4, round 2" in done.stderr
    assert "one, by placement" in done.stdout
    assert "longpole compare one-1 --out one-1.svg" in done.stdout
    assert (bench.results / "made.txt").read_text() == "done\n"
    assert left_in_work(bench) == []
    assert not (bench.folder / ".longpole" / "work" / "series-one-1").exists()
    compared = bench.json("compare")
    assert [group["group"] for group in compared["metrics"][0]["groups"]] == ["links", "clustering"]
    assert compared["interleaved"]
    assert bench.rows("SELECT count(*) FROM tasks WHERE outcome = 'cached'") == [(0,)]


def test_parameters_are_varied(bench: Bench) -> None:
    done = bench.call("run", "one.yaml", "--vary", "seconds=0,0.3", "--series", "naps", "--json")

    assert done.returncode == 0, done.stderr
    compared = json.loads(done.stdout)
    assert compared["by"] == "seconds"
    assert [group["group"] for group in compared["metrics"][0]["groups"]] == ["0", "0.3"]


def test_a_run_that_fails_is_said_and_the_rest_goes_on(bench: Bench) -> None:
    done = bench.call("run", "one.yaml", "--repeat", "3", "--vary", "code=0,1")

    assert done.returncode == 1
    codes = [one.get("exit_code") for one in manifests(bench)]
    assert (codes.count(0), codes.count(1)) == (3, 2)
    assert done.stderr.count("failed: make: It ended with exit code 1.") == 2
    assert done.stderr.count("Command ") == 1
    assert "--resume" not in done.stderr
    assert "links, code=1 failed twice in a row, and is not tried again" in done.stderr
    assert "2 of 6 runs failed" in done.stderr
    assert "--repeat 3 --series one-1 --vary code=0,1" in done.stderr
    assert "1 job failed" in done.stdout
    assert len(left_in_work(bench)) == 1


def test_a_workflow_that_cannot_be_run_ends_the_series(bench: Bench) -> None:
    bench.write("bad.yaml", "longpole: 1\nname: bad\ntasks: {a: {runs: x}}\n")

    done = bench.call("run", "bad.yaml", "--repeat", "5", "--placements", "all")

    assert done.returncode == 2
    assert done.stderr.count("runs") <= 4
    assert bench.runs() == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--placements", "nfs"), "There is no placement 'nfs'"),
        (("--repeat", "2", "--placement", "links", "--placements", "all"), "give one of them"),
        (("--vary", "code"), "--vary takes NAME=VALUE,VALUE"),
        (("--vary", "code=0,1", "--set", "code=0"), "give one of them"),
        (("--repeat", "0"), "is not in the range"),
        (("--repeat", "2", "--resume"), "--repeat was chosen when the run began"),
    ],
)
def test_options_that_cannot_be_used_are_refused_in_a_sentence(
    bench: Bench, options: tuple[str, ...], said: str
) -> None:
    done = bench.call("run", "one.yaml", *options)

    assert done.returncode == 2
    assert said in done.stderr
    assert bench.runs() == []


def test_where_no_run_can_be_kept_the_series_ends_with_a_sentence(bench: Bench) -> None:
    done = bench.call("run", "one.yaml", "--repeat", "2", "--runs", "/proc/runs", "--work", "work")

    assert done.returncode == 2
    assert "Cannot keep a run in /proc/runs: No such file or directory. Choose another" in done.stderr
    assert "unforeseen" not in done.stderr


def test_an_interrupted_series_goes_on_with_what_is_missing(bench: Bench) -> None:
    options = ("run", "one.yaml", "--repeat", "3", "--set", "seconds=0.5")
    started = bench.start(*options)
    until(lambda: len(bench.runs()) >= 2)

    os.kill(started.pid, signal.SIGINT)

    assert started.wait(30) == 130
    said = (bench.folder / "said").read_text()
    assert "to go on: longpole run one.yaml --repeat 3 --series one-1 --set seconds=0.5" in said
    assert left_in_work(bench) == []
    well = [one["id"] for one in manifests(bench) if one.get("exit_code") == 0]
    assert well

    done = bench.run(*options[1:], "--series", "one-1")

    assert f"{len(well)} run{'s' * (len(well) > 1)} there already" in done.stderr
    ended = [one for one in manifests(bench) if one.get("exit_code") == 0]
    assert sorted(one["series_round"] for one in ended) == [1, 2, 3]
    assert set(well) <= {one["id"] for one in ended}


def test_a_signal_while_a_run_is_being_started_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[str]] = []
    start = subprocess.Popen

    def start_and_be_interrupted(_command: object, **how: Any) -> subprocess.Popen[str]:
        started.append(start(["sleep", "10"], **how))
        os.kill(os.getpid(), signal.SIGINT)
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", start_and_be_interrupted)
    series = Series("one-1", Request(workflow="one.yaml"), 2, groups_of(["links"], []))

    code = Making(series, "one", str(tmp_path / "runs"), str(tmp_path / "work")).make()

    assert code == 130
    [child] = started
    with child:
        assert child.returncode == -signal.SIGINT


def test_a_killed_series_stops_its_run_and_goes_on_later(bench: Bench) -> None:
    options = ("run", "one.yaml", "--repeat", "2", "--set", "seconds=2", "--series", "naps")
    started = bench.start(*options)
    until(lambda: bool(bench.runs()) and bool(left_in_work(bench)))

    os.kill(started.pid, signal.SIGKILL)
    started.wait(30)
    until(lambda: not bench.processes())

    bench.run(*options[1:])
    ended = [one for one in manifests(bench) if one.get("exit_code") == 0]
    assert sorted(one["series_round"] for one in ended) == [1, 2]
    assert left_in_work(bench) == []


def test_folders_that_a_task_made_read_only_hinder_no_series() -> None:
    with bench_of(nobody=True) as bench:
        bench.write("closed.yaml", CLOSED)
        options = ("run", "closed.yaml", "--series", "closed", "--repeat", "2")
        first = bench.call(*options)
        assert len(left_in_work(bench)) == 1, first.stderr

        done = bench.call(*options)

        assert done.returncode == 1, done.stderr
        assert "another folder" not in done.stderr
        assert len(left_in_work(bench)) == 1


def test_what_cannot_be_removed_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.folder / "1-1").mkdir()
    monkeypatch.setattr(series_making, "rmtree", lambda *_, **__: None)

    with pytest.raises(UsageError, match=r"Cannot remove .*/1-1, which an earlier run has left"):
        series_making._clear(str(bench.folder))


def test_one_at_a_time_makes_a_series(bench: Bench) -> None:
    options = ("run", "one.yaml", "--repeat", "2", "--set", "seconds=3", "--series", "naps")
    started = bench.start(*options)
    until(lambda: bool(left_in_work(bench)))

    done = bench.call(*options)

    assert done.returncode == 2
    assert "Another run works in" in done.stderr
    os.kill(started.pid, signal.SIGTERM)
    assert started.wait(30) == 130
