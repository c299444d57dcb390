"""A real application of Spark: its event log tells what Spark itself counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longpole.exchange.opening import opened
from longpole.exchange.spark import SPARK
from longpole.model.told import Told, Wishes
from tests.exchange.foreign import given
from tests.exchange.told_rows import phases, rows, used
from tests.parts import need

PROGRAM = Path(__file__).parent / "programs" / "spark_job.py"
Counted = dict[str, Any]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counted]:
    """Run the application once; return its event log, and what it printed."""
    need("spark")
    folder = tmp_path_factory.mktemp("events")
    quickly = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for a JVM that lives for seconds
    python = {"PYSPARK_PYTHON": sys.executable, "JDK_JAVA_OPTIONS": quickly}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder)],
        env={**os.environ, **python, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    [file] = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return file, json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def tale(log: tuple[Path, Counted]) -> Told:
    with opened([str(log[0])]) as [file]:
        assert SPARK.recognises(file)
        return SPARK.read([file], Wishes())


def test_jobs_stages_and_tasks_are_those_that_spark_counted(log: tuple[Path, Counted], tale: Told) -> None:
    _, counted = log

    jobs = [json.loads(row["attributes"])["job"] for row in phases(tale, "sparkjob")]
    assert sorted(jobs) == counted["jobs"]
    stages = {json.loads(row["attributes"])["stage"]: row["id"] for row in phases(tale, "sparkstage")}
    assert set(stages) == {stage["stage"] for stage in counted["stages"]}
    for stage in counted["stages"]:
        tries = [row for row in phases(tale, "job") if row["parent"] == stages[stage["stage"]]]
        statuses = [row["status"] for row in tries]
        assert (statuses.count("ok"), statuses.count("failed")) == (stage["completed"], stage["failed"])
        assert len({row["task"] for row in tries}) == stage["tasks"]
    assert len(rows(tale, "tasks")) == sum(stage["tasks"] for stage in counted["stages"])


def test_shuffled_bytes_are_those_that_spark_counted(log: tuple[Path, Counted], tale: Told) -> None:
    stages = log[1]["stages"]
    read, written = (sum(stage[name] for stage in stages) for name in ("shuffle_read", "shuffle_written"))

    assert read > 0
    assert used(tale, None)["shuffle_read_bytes"] == read
    assert used(tale, None)["shuffle_written_bytes"] == written
    readers = sorted(stage["shuffle_read"] for stage in stages if stage["shuffle_read"])
    assert sorted(row["bytes"] for row in rows(tale, "edges")) == readers


def test_first_try_of_one_task_failed(tale: Told) -> None:
    [failed] = [row for row in phases(tale, "job") if row["status"] == "failed"]

    [again] = [row for row in phases(tale, "job") if row["task"] == failed["task"] and row["status"] == "ok"]
    assert (failed["attempt"], again["attempt"]) == (1, 2)
    assert again["start_ns"] >= failed["end_ns"]


def test_everything_lies_within_the_application_and_nothing_is_missing(tale: Told) -> None:
    [application] = phases(tale, "application")

    assert tale.gaps == ()
    for row in rows(tale, "phases"):
        assert application["start_ns"] <= row["start_ns"] <= row["end_ns"] <= application["end_ns"]
    [host] = rows(tale, "hosts")
    assert host["cores"] == 2
    assert used(tale, None)["cpu_user_ns"] > 0


def test_log_of_an_application_that_was_killed_is_read_up_to_there(log: tuple[Path, Counted]) -> None:
    content = log[0].read_bytes()

    tale = SPARK.read([given(content[: len(content) * 3 // 4], "killed")], Wishes())

    assert any("still ran, or it was killed" in gap for gap in tale.gaps)
    assert 0 < len(phases(tale, "sparkjob")) <= len(log[1]["jobs"])
