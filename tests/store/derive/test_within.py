"""Traced processes are recorded ones: the same pid, on the same host, at the same time."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longpole.app.imports import write_log
from longpole.errors import UsageError
from longpole.model.columns import Columns, integers, texts
from longpole.store.derive.notes import Teller
from tests.builders import OFFSET, HandmadeRun, ms, utc
from tests.traces import PID, RING, lies_in, program, put, told, traced

PROCESS = {"id": 1, "pid": PID, "start_ns": utc(10), "end_ns": utc(20)}
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


LACKING = [
    *[("processes", name) for name in ("id", "host", "pid", "start_ns", "end_ns", "rank", "world")],
    *[("phases", name) for name in ("id", "parent", "kind", "process", "lane", "start_ns", "end_ns")],
    *[("hosts", name) for name in ("id", "name")],
]


@pytest.mark.parametrize(("table", "column"), LACKING)
def test_a_column_that_a_forged_log_lacks_does_no_harm(run: HandmadeRun, table: str, column: str) -> None:
    with run.log() as log:
        program(log)
    tables = dict(told(traced("aten::mm", 130, 140), host_name="node").tables)
    kept = {name: values for name, values in tables[table].items() if name != column}
    write_log(str(run.path), Teller("a stranger", within=True), {**tables, table: Columns(kept)})

    assert run.open().table("processes").rows == 1


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(rows=st.lists(st.tuples(*[st.none() | st.integers(-3, 1 << 62)] * 7), min_size=1, max_size=8))
def test_no_numbers_of_a_forged_log_do_harm(rows: list[tuple[int | None, ...]]) -> None:
    names = ("id", "parent", "process", "lane", "device", "start_ns", "end_ns")
    columns = {name: integers(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}
    kinds = texts([("step", "python", "operator", "process")[at % 4] for at in range(len(rows))])
    process = {name: integers([value]) for name, value in PROCESS.items()}
    with TemporaryDirectory() as folder:
        run = HandmadeRun(Path(folder))
        with run.log() as log:
            program(log)
            log.phase(RING, 1, "mark", (10, 900))
        phases = Columns({**columns, "kind": kinds})
        tables = {"processes": Columns(process), "phases": phases}
        write_log(str(run.path), Teller("a stranger", within=True), tables)

        assert run.open().table("phases").rows >= 3
