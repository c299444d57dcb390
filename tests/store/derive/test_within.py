"""Traced processes are recorded ones: the same pid, on the same host, at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.errors import UsageError
from tests.builders import OFFSET, HandmadeRun, ms, utc
from tests.traces import PID, lies_in, program, put, traced

OTHER = {"kernel": "6.1", "machine": "x86_64", "cores": 4, "memory_bytes": 1 << 33}


@pytest.fixture
def run(tmp_path: Path) -> HandmadeRun:
    return HandmadeRun(tmp_path)


def test_a_traced_process_has_no_row_of_its_own(run: HandmadeRun) -> None:
    with run.log() as log:
        program(log)
    put(run, traced("aten::mm", 130, 140), host_name="node", distributedInfo={"rank": 3, "world_size": 4})

    stored = run.open()
    (process,) = stored.table("processes").records()
    assert (process["pid"], process["rank"], process["world"]) == (PID, 3, 4)
    assert stored.table("hosts").rows == 1
    assert stored.query("SELECT id FROM phases WHERE kind = 'process'").rows == 1
    assert list(stored.query("SELECT process FROM phases WHERE kind = 'operator'")["process"]) == [1]


def test_a_recorded_rank_is_not_replaced(run: HandmadeRun) -> None:
    with run.log() as log:
        log.process(1, start=0)
        log.ring(1, 1, hello={"rank": 1, "world": 2})
    put(run, traced("aten::mm", 130, 140), distributedInfo={"rank": 0, "world_size": 2})

    assert list(run.open().table("processes")["rank"]) == [1]


def test_what_the_trace_says_of_itself_is_kept_with_the_process(run: HandmadeRun) -> None:
    with run.log() as log:
        program(log)
    put(run, traced("aten::mm", 130, 140))

    (told,) = run.open().query("SELECT attributes FROM phases WHERE kind = 'process'")["attributes"]
    assert f'"base_ns":{OFFSET}' in str(told)


def test_of_two_processes_of_a_pid_the_one_that_lived_then_was_traced(run: HandmadeRun) -> None:
    with run.log() as log:
        for number, (start, end) in enumerate([(0, 100), (200, 300)], start=1):
            log.process(number, start=start, pid=PID, comm=f"turn {number}")
            log.exit(number, start, end, pid=PID)
    put(run, traced("aten::mm", 210, 220))

    assert lies_in(run.open())["aten::mm"] == ("process", "turn 2")


def test_a_process_in_a_namespace_is_known_by_the_pid_it_has_there(run: HandmadeRun) -> None:
    with run.log() as log:
        log.process(1, start=0, pid=5000, inner_pid=PID)
    put(run, traced("aten::mm", 210, 220))

    assert lies_in(run.open())["aten::mm"] == ("process", "p1")


def test_the_name_of_the_host_tells_processes_of_one_pid_apart(run: HandmadeRun) -> None:
    two_hosts(run)
    put(run, traced("aten::mm", 210, 220), host_name="other")

    assert lies_in(run.open())["aten::mm"] == ("process", "there")


def test_a_pid_that_processes_of_two_hosts_have_is_refused_without_a_host(run: HandmadeRun) -> None:
    two_hosts(run)

    with pytest.raises(UsageError, match=r"does not tell on which host.*on each of 2"):
        put(run, traced("aten::mm", 210, 220))


def test_times_of_another_host_come_onto_the_axis_of_the_run(run: HandmadeRun) -> None:
    # The clock of the other host goes 50 ms ahead, which was found by comparing both.
    two_hosts(run, ahead_ms=50)
    put(run, traced("aten::mm", 260, 270), host_name="other")
    put(run, traced("aten::add", 210, 220), host_name="node")

    starts = run.open().query("SELECT start_ns FROM phases WHERE kind = 'operator' ORDER BY name")
    assert list(starts["start_ns"]) == [utc(210), utc(210)]


def test_a_trace_whose_process_is_lost_lies_in_the_run_and_that_is_said(run: HandmadeRun) -> None:
    with run.log() as log:
        program(log)
    first = run.logs()[0]
    put(run, traced("aten::mm", 130, 140))
    first.unlink()
    with run.log() as log:
        log.process(7, start=0)

    stored = run.open()
    assert lies_in(stored)["aten::mm"][0] == "run"
    assert any("1 traced process that nobody recorded" in problem for problem in stored.reading.problems)


def two_hosts(run: HandmadeRun, ahead_ms: int = 0) -> None:
    """Record a process of the same pid on each of two hosts at the same time."""
    with run.log() as log:
        log.process(1, start=0, pid=PID, comm="here")
    with run.log(bare=True) as log:
        log.note("host", name="other", boot="c", **OTHER)
        log.note("clock", at=0, offset=OFFSET + ms(ahead_ms), error=100)
        log.note("began", at=0)
        if ahead_ms:
            log.note("compared", at=0, theirs=0, error=10, peer="node", peer_boot="b")
        log.process(1, start=0, pid=PID, comm="there")
