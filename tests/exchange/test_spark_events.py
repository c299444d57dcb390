"""Lines of Spark's event logs: understood, skipped or counted, and never a traceback."""

from __future__ import annotations

import json

import pytest

from longpole.exchange.spark_events import Event, JobStart, Reading, TaskEnd, events_of
from tests.exchange.sparklog import event, job, log, simple, task


def read(text: str | bytes) -> tuple[list[Event], Reading]:
    reading = Reading("app.log")
    content = text.encode() if isinstance(text, str) else text
    return list(events_of(content, reading)), reading


def test_fields_are_spelled_as_spark_does() -> None:
    [found], _ = read(task(7, 3, 1000, 1200, run=80, cpu=70, read=(5, 6), written=9, JVM_GC_Time=4))

    assert isinstance(found, TaskEnd)
    assert (found.stage_id, found.task_info.task_id, found.task_info.finish_time) == (3, 7, 1200)
    metrics = found.task_metrics
    assert metrics is not None
    assert (metrics.executor_run_time, metrics.executor_cpu_time, metrics.jvm_gc_time) == (80, 70, 4)
    assert metrics.shuffle_read_metrics.remote_bytes_read == 5
    assert metrics.shuffle_write_metrics.shuffle_bytes_written == 9


def test_job_is_called_as_its_author_says() -> None:
    properties = {"spark.job.description": "nightly", "callSite.short": "collect at x.py:1", "secret": "x"}
    [found], _ = read(event("JobStart", Job_ID=1, Submission_Time=5, Stage_IDs=[1], Properties=properties))

    assert isinstance(found, JobStart)
    assert found.properties is not None
    assert found.properties.description == "nightly"


def test_other_events_are_skipped() -> None:
    found, reading = read(
        log([event("EnvironmentUpdate", Spark_Properties={}), '{"Event": "org.apache.spark.x"}'])
    )

    assert (found, reading.events, list(reading.gaps())) == ([], 2, [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (job(1, -5), "$.Submission Time"),
        (job(1, 1 << 60), "$.Submission Time"),
        (job(-1, 5), "$.Job ID"),
        (job(1 << 70, 5), "$.Job ID"),
        (json.dumps({"Event": "SparkListenerJobStart"}), "Job ID"),
        (task(1, 1, 5, 9, run="long"), "$.Task Metrics.Executor Run Time"),
        (task(1, 1, 5, 9, info={"Launch Time": "now"}), "$.Task Info.Launch Time"),
        (task(1, 1, 5, 9, cpu=1.5), "$.Task Metrics.Executor CPU Time"),
        ("[" * 100_000, ""),
        ("hello", ""),
        ('{"Event": 5}', "$.Event"),
    ],
)
def test_line_that_cannot_be_is_counted_and_its_field_named(line: str, why: str) -> None:
    found, reading = read(log([job(1, 5), line]))

    assert len(found) == 1
    [gap] = reading.gaps()
    assert gap.startswith("1 line of app.log could not be understood, the first is line 2 (")
    assert why in gap
    assert len(gap) < 400


def test_line_that_is_no_text_is_counted() -> None:
    _, reading = read(b'{"Event": "SparkListener\xff\xfe"}\n' + log().encode())

    assert reading.odd == 1
    assert reading.events == len(simple())


def test_log_that_ends_in_the_middle_of_a_line_is_read_up_to_there() -> None:
    found, reading = read(log([job(1, 5), job(2, 6)])[:-20])

    assert len(found) == 1
    assert list(reading.gaps()) == ["app.log ends in the middle of a line: it is read up to there."]


def test_last_line_needs_no_end() -> None:
    found, reading = read(log([job(1, 5)]).rstrip("\n"))

    assert (len(found), reading.cut, reading.odd) == (1, False, 0)
