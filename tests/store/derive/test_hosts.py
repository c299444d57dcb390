"""Hosts and clocks: all times of a run on one axis."""

from __future__ import annotations

import pytest

from tests.builders import OFFSET, HandmadeRun, ms, utc


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def test_a_host_is_noted_with_its_clock(run):
    run.log().__exit__()
    stored = run.open()

    assert list(stored.table("hosts").records()) == [
        {
            "id": 1,
            "name": "node",
            "kernel": "6.1",
            "machine": "x86_64",
            "boot": "b",
            "cores": 4,
            "memory_bytes": 1 << 33,
        }
    ]
    assert list(stored.table("clocks").records()) == [
        {"host": 1, "at_ns": OFFSET, "offset_ns": OFFSET, "error_ns": 100}
    ]


def test_the_first_clock_of_a_host_counts_for_all_its_logs(run):
    with run.log() as log:
        log.process(1, start=5)
        log.note("clock", at=ms(2000), offset=OFFSET + 777)
    with run.log(bare=True) as log:
        log.note("clock", at=ms(3000), offset=OFFSET + 999)
        log.process(1, start=50)

    assert list(run.open().table("processes")["start_ns"]) == [utc(5), utc(50)]
    assert run.open().table("hosts").rows == 1
    assert run.open().table("clocks").rows == 3


def test_a_log_without_a_clock_follows_the_start_of_the_run_and_that_is_said(run):
    with run.log(bare=True) as log:
        log.note("began", at=ms(100))
        log.process(1, start=150)

    stored = run.open()

    assert list(stored.table("processes")["start_ns"]) == [1_790_208_000_000_000_000 + ms(50)]
    assert any("without a clock" in problem for problem in stored.reading.problems)


@pytest.mark.parametrize("started", ["", "yesterday", "9999-12-31T00:00:00Z", "0001-01-01T00:00:00"])
def test_a_start_that_cannot_be_read_does_no_harm(tmp_path, started):
    run = HandmadeRun(tmp_path, started=started)
    with run.log(bare=True) as log:
        log.note("began", at=ms(100))
        log.process(1, start=150)

    assert list(run.open().table("processes")["start_ns"]) == [ms(50)]
