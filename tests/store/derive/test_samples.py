"""Samples: readings become rows, each of a resource."""

from __future__ import annotations

import math
from typing import Any

import pytest

from longpole.log import slots
from tests.builders import AGENT, HandmadeRun, ms, utc

JOINED = """
    SELECT kind, metric, unit, capacity, scope, owner, start_ns, end_ns, value
    FROM samples JOIN resources ON id = resource
"""


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def samples(run: HandmadeRun, which: str = "true") -> list[dict[str, Any]]:
    return list(run.open().query(f"{JOINED} WHERE {which} ORDER BY resource, start_ns, scope").records())


def test_a_reading_of_a_process_becomes_a_row_for_each_resource(run):
    used = {"user": 30_000, "system": 20_000, "resident": 4, "proportional": 3}
    moved = {"read": 100, "written": 200, "storage_read": 300, "storage_written": 400}
    with run.log() as log:
        log.process(5)
        log.sample(5, 100, 200, **used, **moved)

    rows = samples(run)

    assert [(row["kind"], row["metric"], row["unit"], row["value"]) for row in rows] == [
        ("cpu", "used", "cores", 0.5),
        ("memory", "resident", "bytes", 4096.0),
        ("memory", "proportional", "bytes", 3072.0),
        ("io", "read", "bytes/s", 1000.0),
        ("io", "written", "bytes/s", 2000.0),
        ("storage", "read", "bytes/s", 3000.0),
        ("storage", "written", "bytes/s", 4000.0),
    ]
    assert {(row["scope"], row["owner"], row["start_ns"], row["end_ns"]) for row in rows} == {
        ("process", 1, utc(100), utc(200))
    }
    assert [row["capacity"] for row in rows[:2]] == [4.0, float(1 << 33)]


def test_nothing_moved_is_left_out_but_idle_cpu_is_kept(run):
    with run.log() as log:
        log.process(1)
        log.sample(1, 0, 100)

    assert [(row["metric"], row["value"]) for row in samples(run)] == [("used", 0.0), ("resident", 0.0)]


def test_readings_of_unknown_processes_and_without_length_are_left_out(run):
    with run.log() as log:
        log.process(1)
        log.sample(4_000_000_000, 0, 100, user=1)
        log.sample(1, 100, 100, user=1)

    assert samples(run) == []


def test_readings_of_a_nested_launcher_are_the_recorders(run):
    with run.log() as log:
        log.process(1)
        log.process(2)
        log.ring(2, 2, hello={"role": "launcher"})
        log.sample(1, 0, 100)
        log.sample(2, 0, 100)

    assert {row["owner"] for row in samples(run)} == {1}
    assert run.open().table("processes").rows == 1


def test_a_gauge_has_a_row_for_each_value_that_is_known(run):
    fields = [["user", "cores"], ["system", "cores"], ["waiting for I/O", "cores"], ["stolen", "cores"]]
    with run.log() as log:
        log.note("resource", number=1, kind="cpu", name="all cores", fields=fields, capacity=8.0)
        log.gauge(1, 0, 1000, 1.5, 0.25, math.nan, math.inf)
        log.gauge(1, 1000, 2000, 2.5, 0.5, 0.0, math.nan)

    rows = samples(run)

    assert [(row["metric"], row["value"], row["scope"], row["owner"]) for row in rows] == [
        ("user", 1.5, "host", 1),
        ("user", 2.5, "host", 1),
        ("system", 0.25, "host", 1),
        ("system", 0.5, "host", 1),
        ("waiting for I/O", 0.0, "host", 1),
    ]
    assert {row["capacity"] for row in rows} == {8.0}


def test_a_gpu_seen_whole_and_by_the_tree_is_one_resource(run):
    gpu = {"kind": "gpu", "name": "H200 #0", "capacity": 100.0}
    with run.log() as log:
        log.note(
            "resource",
            number=1000,
            fields=[["busy", "fraction"], ["memory used", "bytes"]],
            scope="device",
            **gpu,
        )
        log.note(
            "resource",
            number=1001,
            fields=[["busy", "fraction"], ["processes", "count"]],
            scope="tree",
            **gpu,
        )
        log.gauge(1000, 0, 1000, 0.9, 50.0, math.nan, math.nan)
        log.gauge(1001, 0, 1000, 0.4, 2.0, math.nan, math.nan)

    rows = samples(run)

    assert [(row["metric"], row["scope"], row["value"], row["capacity"]) for row in rows] == [
        ("busy", "device", 0.9, 1.0),
        ("busy", "tree", 0.4, 1.0),
        ("memory used", "device", 50.0, 100.0),
        ("processes", "tree", 2.0, None),
    ]
    assert run.open().table("resources").rows == 3


def test_gauges_without_a_note_are_left_out(run):
    with run.log() as log:
        log.gauge(77, 0, 1000, 1.0, 1.0, 1.0, 1.0)

    assert samples(run) == []


def test_impossible_times_are_left_out_and_said(run):
    with run.log() as log:
        log.process(1)
        for start, end in ((5, 3), (-1, 5), (0, 1 << 62)):
            head = (slots.PROCESS_SAMPLE, 0, 1, 1, start, end)
            log.slot(AGENT, slots.PROCESS_SAMPLE_LAYOUT.pack(*head, *[1] * 8, 0))

    assert samples(run) == []
    assert any("3 samples" in problem for problem in run.open().reading.problems)


def test_two_hosts_have_resources_of_their_own(run):
    with run.log() as log:
        log.process(1)
        log.sample(1, 0, 100)
    with run.log(bare=True) as log:
        log.note("host", name="other", boot="c", cores=9)
        log.note("clock", at=0, offset=ms(5))
        log.process(1)
        log.sample(1, 0, 100)

    rows = samples(run, "metric = 'used'")

    assert [(row["owner"], row["start_ns"]) for row in rows] in (
        [(2, utc(0)), (1, ms(5))],
        [(1, ms(5)), (2, utc(0))],
    )
    assert sorted(row["capacity"] for row in rows) == [4.0, 9.0]
