"""Spark's event logs: jobs, stages, tasks and executors as one run."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from longpole.exchange.opening import opened
from longpole.exchange.spark import SPARK
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.told import Wishes
from tests.exchange.foreign import Given, given
from tests.exchange.sparklog import began, event, job, job_end, log, simple, stage, task, told
from tests.exchange.told_rows import facts, phases, rows, times_ms


def test_application_has_its_job_that_its_stages_and_those_their_tasks() -> None:
    tale = told()

    [application], [spark_job] = phases(tale, "application"), phases(tale, "sparkjob")
    first, second = phases(tale, "sparkstage")
    assert (tale.name, times_ms(application), times_ms(spark_job)) == ("counting", (1000, 1500), (1100, 1460))
    assert (times_ms(first), times_ms(second)) == ((1110, 1330), (1340, 1450))
    assert spark_job["parent"] == application["id"]
    assert first["parent"] == second["parent"] == spark_job["id"]
    assert [row["parent"] for row in phases(tale, "job")] == [first["id"], first["id"], second["id"]]
    assert spark_job["name"] == "collect at x.py:0"
    assert {row["status"] for row in rows(tale, "phases")} == {"ok"}
    assert tale.gaps == ()


def test_edge_leads_from_stage_to_stage_with_what_was_handed_over() -> None:
    tale = told()

    first, second = phases(tale, "sparkstage")
    [edge] = rows(tale, "edges")
    assert (edge["from_phase"], edge["to_phase"], edge["kind"], edge["bytes"]) == (
        first["id"],
        second["id"],
        "data",
        800,
    )


def test_stage_that_was_skipped_has_no_edge_and_that_is_said() -> None:
    tale = told(
        [*began(), job(0, 1100, 4, 5), stage(5, 1110, 4), stage(5, 1110, 4, end=1200), job_end(0, 1210)]
    )

    assert rows(tale, "edges") == []
    assert facts(phases(tale, "sparkjob")[0])["skipped_stages"] == 1
    assert any("1 edge would lead from a stage that Spark skipped" in gap for gap in tale.gaps)


def test_log_of_an_application_that_still_runs_is_unfinished_and_said() -> None:
    tale = SPARK.read([given(log(simple()[:8])[:-30], "app.log")], Wishes())

    assert [
        (row["kind"], row["status"]) for row in phases(tale, "application", "sparkjob", "sparkstage")
    ] == [
        ("application", "unfinished"),
        ("sparkjob", "unfinished"),
        ("sparkstage", "unfinished"),
    ]
    assert [row["status"] for row in phases(tale, "exec")] == ["unfinished"] * 2
    assert tale.gaps == (
        "app.log ends in the middle of a line: it is read up to there.",
        "The log does not have the end of the application: it still ran, or it was killed.",
        "2 tasks had not ended when the log was written.",
    )


def test_job_that_failed_is_failed() -> None:
    tale = told([*began(), job(0, 1100), job_end(0, 1200, "JobFailed")])

    assert [row["status"] for row in phases(tale, "sparkjob")] == ["failed"]


def test_end_before_begin_is_not_known_and_said() -> None:
    tale = told(
        [
            *began(),
            stage(0, 1100, end=900),
            task(0, 0, 1110),
            task(0, 0, 1110, 1000),
            task(1, 1, 1110, 1120),
            job(0, 1100),
            job_end(0, 5),
        ]
    )

    ends = [row["end_ns"] for row in phases(tale, "sparkstage", "exec", "sparkjob")]
    assert [end for end in ends if end is not None] == [1_120_000_000]
    assert any("'Finish Time'" in gap for gap in tale.gaps)
    assert any("Of 2 jobs or stages" in gap and "'Completion Time'" in gap for gap in tale.gaps)


def test_pieces_of_a_rolled_log_are_put_in_order() -> None:
    lines = simple()
    second = Given(log(lines[6:]).encode(), "eventlog_v2_app-1/events_10_app-1")
    first = Given(log(lines[:6]).encode(), "eventlog_v2_app-1/events_9_app-1")

    tale = SPARK.read([second, first], Wishes())

    assert [row["status"] for row in phases(tale, "exec")] == ["ok"] * 3
    assert tale.gaps == ()


def test_two_applications_are_two_runs() -> None:
    with pytest.raises(UnreadableFileError, match=r"b\.log is of another application"):
        SPARK.read([given(log(), "a.log"), given(log(began(app="app-2")), "b.log")], Wishes())


def test_log_packed_with_gzip_is_read(tmp_path: Path) -> None:
    packed = tmp_path / "app.log.gz"
    packed.write_bytes(gzip.compress(log().encode()))

    with opened([str(packed)]) as [file]:
        assert SPARK.recognises(file)
        assert len(phases(SPARK.read([file], Wishes()), "exec")) == 3


def test_log_packed_with_zstd_is_refused_with_a_way_on(tmp_path: Path) -> None:
    packed = tmp_path / "events_1_app.zstd"
    packed.write_bytes(b"\x28\xb5\x2f\xfd\x00rest")

    said = r"events_1_app\.zstd is packed with zstd.*'zstd -dc FILE"
    with pytest.raises(UnreadableFileError, match=said), opened([str(packed)]):
        pass


@pytest.mark.parametrize("text", ["", "hello\n", log([event("LogStart", Spark_Version="4")])])
def test_log_in_which_nothing_ran_is_refused(text: str) -> None:
    with pytest.raises(UnreadableFileError, match=r"bad\.log"):
        SPARK.read([given(text, "bad.log")], Wishes())
