"""Runs of processes that already ran: totals are sampled, and nothing is of before."""

from __future__ import annotations

import pytest

from tests.builders import HandmadeRun, ms, utc
from tests.store.derive.test_totals import totals


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path, exit_code=None)


def log_of(run):
    """A log that began at 1000 ms, attached to process 1, which was there at 0."""
    log = run.log()
    log.note("began", at=ms(1000), attached=[101])
    log.process(1, start=0)
    log.process(2, start=1200, parent=1)
    log.sample(1, 1000, 1100, user=100, system=10, read=7)
    log.sample(2, 1200, 1300, user=200, written=5)
    return log


def test_totals_are_the_sum_over_all_processes_as_sampled(run):
    with log_of(run) as log:
        log.note("gone", number=2, by=ms(1350))
        log.note("ended", at=ms(2000))

    found = totals(run)

    assert found["cpu_user_ns"] == (300_000, "sampled", 300_000, None)
    assert found["cpu_system_ns"] == (10_000, "sampled", 10_000, None)
    assert (found["read_bytes"][0], found["written_bytes"][0]) == (7, 5)


def test_totals_are_what_the_counters_have_grown_by_where_that_is_more(run):
    with log_of(run) as log:
        log.note("used", at=ms(1500), used=[1, 1, 1, 1, 1, 1])
        log.note("used", at=ms(1900), used=[900, 30, 6, 80, 2, 3])

    found = {name: total[0] for name, total in totals(run).items()}

    assert found == {
        "cpu_user_ns": 900_000,
        "cpu_system_ns": 30_000,
        "read_bytes": 7,
        "written_bytes": 80,
        "storage_read_bytes": 2,
        "storage_written_bytes": 3,
    }


def test_bytes_nobody_could_read_are_not_known(run):
    with log_of(run) as log:
        log.note("unreadable", number=1)
        log.note("unreadable", number=2)

    assert set(totals(run)) == {"cpu_user_ns", "cpu_system_ns"}
    assert "read_bytes" not in totals(run, "process", 1)


def test_bytes_of_those_that_could_be_read_are_the_least_there_are(run):
    with log_of(run) as log:
        log.note("unreadable", number=2)

    assert totals(run)["read_bytes"] == (7, "sampled", 7, None)
    assert "read_bytes" in totals(run, "process", 1)
    assert "read_bytes" not in totals(run, "process", 2)


def test_the_run_and_its_processes_begin_when_it_was_attached(tmp_path):
    run = HandmadeRun(tmp_path, exit_code=None)
    with run.log(bare=True) as log:
        log.note("clock", at=0, offset=utc(0), error=100)
        log.note("began", at=ms(1000), attached=[101])
        log.process(1, start=0)
        log.note("ended", at=ms(2000))

    rows = list(run.open().query("SELECT kind, start_ns, end_ns, status FROM phases ORDER BY id").records())

    assert [(row["kind"], row["start_ns"], row["end_ns"]) for row in rows] == [
        ("run", utc(1000), utc(2000)),
        ("process", utc(1000), utc(2000)),
    ]
    assert rows[0]["status"] == "ok"
    assert list(run.open().query("SELECT start_ns FROM processes")["start_ns"]) == [utc(0)]


def test_the_recording_says_to_how_many_it_was_attached(run):
    log_of(run).__exit__()

    assert run.open().recording.attached == 1
