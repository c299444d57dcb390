"""Totals: exact for the tree where the launcher saw the end, and never less than what is known for sure."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LAUNCHER, HandmadeRun, ms, small_run


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def totals(run: HandmadeRun, scope: str = "run", owner: int | None = None) -> dict[str, tuple[Any, ...]]:
    """Return value, source and bounds of each metric."""
    rows = run.open().table("totals").records()
    chosen = [row for row in rows if row["scope"] == scope and row["owner"] == owner]
    return {str(row["metric"]): (row["value"], row["source"], row["low"], row["high"]) for row in chosen}


def exact(value: float) -> tuple[Any, ...]:
    return (value, "exact", value, value)


def test_the_run_is_the_sum_over_the_ends_the_launcher_saw(run):
    with run.log() as log:
        log.launcher()
        log.end(101, 0, 900, user=1000, system=200, read=10, written=20, storage_read=30, storage_written=40)
        log.end(102, 0, 950, user=500, system=100, read=1, written=2, storage_read=3, storage_written=4)
        log.finish(101, 0, 900)

    assert totals(run) == {
        "cpu_user_ns": exact(1_500_000),
        "cpu_system_ns": exact(300_000),
        "read_bytes": exact(11),
        "written_bytes": exact(22),
        "storage_read_bytes": exact(33),
        "storage_written_bytes": exact(44),
    }


def test_an_end_that_is_in_two_logs_counts_once(run):
    for logs_end in (900, 901):
        with run.log() as log:
            log.launcher()
            log.end(101, 0, 900, user=1000, read=10)
            if logs_end > 900:
                log.end(102, 0, 901, user=500, read=1)
                log.finish(101, 0, 901)

    found = totals(run)

    assert (found["cpu_user_ns"], found["read_bytes"]) == (exact(1_500_000), exact(11))


def test_a_program_that_recorded_itself_says_what_it_used(run):
    with run.log() as log:
        log.process(1)
        log.ring(LAUNCHER, 1, hello={"role": "session"})
        log.end(101, 0, 900, user=1000, read=10)
        log.finish(101, 0, 900)

    assert totals(run)["read_bytes"] == exact(10)


def test_what_a_nested_launcher_used_is_taken_off(run):
    with run.log() as log:
        log.launcher()
        log.process(2)
        log.ring(2, 2, hello={"role": "launcher"})
        log.cost(2, 1, 400, 50, 7, 8)
        log.end(101, 0, 900, user=1000, system=200, read=10, written=20)
        log.finish(101, 0, 900)
        log.cost(0, 0, 3000, 1000)

    found = totals(run)

    assert [found[name][0] for name in ("cpu_user_ns", "cpu_system_ns", "read_bytes", "written_bytes")] == [
        600_000,
        150_000,
        3,
        12,
    ]
    assert run.open().recording.joined == 1
    assert run.open().recording.recorder_cpu_s == pytest.approx(0.00445)


def test_a_total_is_never_below_the_exit_records(run):
    with run.log() as log:
        log.launcher()
        log.exit(1, 0, 900, used=[100, 50, 1024, 2048, 0, 512])
        log.exit(2, 0, 900, used=[900, 50, 4096, 0, 0, 0])
        log.end(101, 0, 900, user=150, system=50, read=1500, written=2100, storage_written=600)
        log.finish(101, 0, 900)

    found = {name: total[0] for name, total in totals(run).items()}

    assert found == {
        "cpu_user_ns": 1_000_000,
        "cpu_system_ns": 100_000,
        "read_bytes": 5120,
        "written_bytes": 2100,
        "storage_read_bytes": 0,
        "storage_written_bytes": 600,
    }


def test_a_process_has_its_exit_record_with_what_rounding_may_hide(tmp_path):
    found = totals(small_run(tmp_path), "process", 2)

    assert found == {
        "cpu_user_ns": exact(300_000_000),
        "cpu_system_ns": exact(20_000_000),
        "read_bytes": (4096, "exact", 4096, 5120),
        "written_bytes": (1024, "exact", 1024, 2048),
        "storage_read_bytes": exact(512),
        "storage_written_bytes": exact(256),
        "peak_memory_bytes": exact(3_072_000),
    }


def test_a_process_without_an_exit_record_has_the_sum_of_its_samples(run):
    with run.log() as log:
        log.process(1)
        log.sample(1, 0, 100, user=1000, system=100, resident=50, read=7)
        log.sample(1, 100, 200, user=2000, system=200, resident=30, read=8)

    found = totals(run, "process", 1)

    assert found["cpu_user_ns"] == (3_000_000, "sampled", 3_000_000, None)
    assert found["read_bytes"] == (15, "sampled", None, None)
    assert found["peak_memory_bytes"] == (51_200, "sampled", 51_200, None)


def test_a_process_nobody_sampled_has_no_totals(run):
    with run.log() as log:
        log.process(1)

    assert totals(run, "process", 1) == {}


def test_a_run_that_goes_on_has_what_was_sampled_so_far(tmp_path):
    run = HandmadeRun(tmp_path, state="running", exit_code=None)
    with run.log() as log:
        log.launcher()
        log.process(1)
        log.process(2)
        log.sample(1, 0, 100, user=1000, read=500)
        log.sample(2, 0, 100, user=3000, read=300)
        log.note("gone", number=2, by=ms(150))
        log.end(109, 0, 50, user=10, read=60)

    found = totals(run)

    assert found["cpu_user_ns"] == (4_000_000, "sampled", 4_000_000, None)
    assert found["read_bytes"] == (560, "sampled", 560, None)


def test_bytes_the_launcher_could_not_read_leave_the_total_open_above(run):
    with run.log() as log:
        log.launcher()
        log.end(101, 0, 900, user=10, readable=0)
        log.finish(101, 0, 900)

    found = totals(run)

    assert found["cpu_user_ns"] == exact(10_000)
    assert found["read_bytes"] == (0, "sampled", 0, None)


def test_a_child_left_behind_leaves_all_totals_open_above(run):
    with run.log() as log:
        log.launcher()
        log.end(101, 0, 900, user=10, status=-1)
        log.finish(101, 0, 900)

    assert totals(run)["cpu_user_ns"] == (10_000, "sampled", 10_000, None)


def test_amounts_nobody_can_have_used_count_as_nothing(run):
    with run.log() as log:
        log.launcher()
        log.end(101, 0, 900, user=(1 << 64) - 1, read=(1 << 64) - 1, written=5)
        log.finish(101, 0, 900)

    found = totals(run)

    assert (found["cpu_user_ns"][0], found["read_bytes"][0], found["written_bytes"][0]) == (0, 0, 5)


def test_an_empty_run_has_no_totals(run):
    run.log().__exit__()

    assert totals(run) == {}
