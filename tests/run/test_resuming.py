"""Going on with a run: what was committed never runs again, and what the dead driver left is ended."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.run.driven import Driven

# Each task writes when it begins and ends; it cuts as many tiles as it likes.
TILES = """
longpole: 1
name: tiles
sets: {tile: {from: "tiles/{tile}"}}
tasks:
  cut:
    run: "echo begin cut $$ >> %(ledger)s; for n in 1 2 3 4 5 6; do echo $n > tiles/$n; done; sleep 0.05;
      echo end cut $$ >> %(ledger)s"
    outputs: ["tiles/{tile}"]
  score:
    for_each: [tile]
    inputs: {png: "tiles/{tile}"}
    run: "echo begin {tile} $$ >> %(ledger)s; sleep 0.1; cat {png} {png} > {out};
      echo end {tile} $$ >> %(ledger)s"
    outputs: {out: "scores/{tile}"}
  total:
    inputs: {scores: "scores/{tile}"}
    run: "echo begin total $$ >> %(ledger)s; cat {scores} > {out}; echo end total $$ >> %(ledger)s"
    outputs: {out: total.txt}
results: [total.txt]
"""


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    return Driven(tmp_path).write(workflow__yaml=TILES % {"ledger": tmp_path / "ledger"})


def begun(driven: Driven) -> list[str]:
    path = driven.folder / "ledger"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split()[1] for line in lines if line.startswith("begin")]


@pytest.mark.parametrize("cluster", ["", "whole"])
def test_what_was_committed_is_taken_as_it_is(driven: Driven, cluster: str):
    driven.drive(cluster=cluster)
    ran = begun(driven)
    driven.drive(cluster=cluster, reuse=False)

    assert begun(driven) == ran
    assert len(driven.log.sessions) == 2
    assert not any(job.open for job in driven.log.jobs.values())


def test_a_committed_file_that_is_gone_is_made_again(driven: Driven):
    driven.drive()
    (driven.kept / "scores/3").unlink()
    driven.drive(reuse=False)

    assert begun(driven)[8:] == ["3"]
    assert driven.job("score tile=3").attempts == 2


@pytest.mark.parametrize("cluster", ["", "whole"])
def test_a_driver_that_is_killed_at_any_moment_is_followed_by_another(driven: Driven, cluster: str):
    chance = random.Random(cluster)
    done: set[str] = set()
    for _ in range(4):
        driver = driven.start(cluster=cluster, reuse=False)
        try:
            driver.wait(chance.uniform(0.15, 0.7))
        except Exception:
            os.kill(driver.pid, signal.SIGKILL)
        driver.communicate()
        before = len(begun(driven))
        log = driven.log
        if not cluster:
            done = {log.planned[number].name for number, job in log.jobs.items() if job.committed}
    driven.drive(cluster=cluster, reuse=False)

    names = {f"score tile={name}": name for name in "123456"} | {"cut": "cut", "total": "total"}
    assert not {names[name] for name in done & names.keys()} & set(begun(driven)[before:])
    assert sorted((driven.out / "total.txt").read_text()) == sorted("\n".join("112233445566") + "\n")
    assert not any(job.open for job in driven.log.jobs.values())
    check_no_overlap(driven.folder / "ledger")


@pytest.mark.parametrize("checksums", ["on", "off"])
def test_a_cluster_that_has_made_a_directory_is_taken_as_it_is(tmp_path: Path, checksums: str):
    driven = Driven(tmp_path).write(
        workflow__yaml=f"""
longpole: 1
name: model
tasks:
  train:
    run: "echo begin train >> {tmp_path}/ledger; mkdir -p model; echo 1 > model/weights; echo > log"
    outputs: [model/, log]
    cluster: both
  use: {{inputs: [model/, log], run: "cat model/weights; test -e {tmp_path}/go"}}
"""
    )
    driven.drive(1, cluster="label", checksums=checksums)
    (tmp_path / "go").touch()
    driven.drive(cluster="label", checksums=checksums)

    assert begun(driven) == ["train"]
    assert driven.job("use").attempts == 2


def check_no_overlap(ledger: Path) -> None:
    """Check that no task began while an earlier attempt of it still wrote."""
    running: dict[str, str] = {}
    for line in ledger.read_text().splitlines():
        what, task, pid = line.split()
        if what == "begin":
            running[task] = pid
        else:
            assert running[task] == pid


def test_the_processes_of_a_dead_driver_are_ended_before_their_job_begins_again(tmp_path: Path):
    driven = Driven(tmp_path).write(
        workflow__yaml=f"""
longpole: 1
name: survives
tasks:
  long: {{run: "echo $$ >> {tmp_path}/pids; test -e {tmp_path}/go || exec sleep 60"}}
"""
    )
    driver = driven.start()
    limit = time.monotonic() + 60
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text():
        assert time.monotonic() < limit
        time.sleep(0.02)
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    pid = int((tmp_path / "pids").read_text())
    assert Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"sleep")
    (tmp_path / "go").touch()
    driven.drive()

    assert not Path(f"/proc/{pid}").exists() or not Path(f"/proc/{pid}/cmdline").read_bytes()
    assert driven.job("long").attempts == 2
    assert driven.causes("long") == ("The driver that began it has died.",)
