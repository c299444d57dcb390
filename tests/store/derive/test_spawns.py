"""Processes that programs said they started, on logs made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import HandmadeRun


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def parents(run: HandmadeRun) -> dict[str, str]:
    """Return the name of the phase that each phase is part of."""
    rows = list(run.open().table("phases").records())
    names = {row["id"]: str(row["name"]) for row in rows}
    return {names[row["id"]]: names.get(row["parent"], "") for row in rows}


def start(log: Any, pid: object, times: tuple[float, float] = (100, 110), **facts: Any) -> None:
    """Write a phase that says it has started a process."""
    given = {"identity": 2, "parent": 1, "source": 2, **facts}
    source, identity = given.pop("source"), given.pop("identity")
    log.phase(source, identity, "start", times, kind="spawn", attributes=f'{{"pid": {pid}}}', **given)


@pytest.mark.parametrize("began", [90, 105, 110, 1100])
def test_a_process_is_part_of_the_phase_that_started_it(run, began):
    with run.log() as log:
        log.process(1)
        log.process(2, pid=70, start=began, parent=1)
        log.ring(2, 1)
        start(log, 70)
        log.phase(2, 1, "around", (50, 200))

    assert parents(run)["p2"] == "around"
    assert run.open().query("SELECT parent FROM processes WHERE pid = 70")["parent"][0] == 1


@pytest.mark.parametrize("began", [60, 1200])
def test_a_process_that_began_at_another_time_is_not_meant(run, began):
    with run.log() as log:
        log.process(1)
        log.process(2, pid=70, start=began, parent=1)
        log.ring(2, 1)
        start(log, 70)
        log.phase(2, 1, "around", (50, 200))

    assert parents(run)["p2"] == "p1"


def test_of_two_processes_of_one_pid_the_one_that_began_then_is_meant(run):
    with run.log() as log:
        log.process(1)
        log.process(2, pid=70, start=10, parent=1)
        log.note("gone", number=2, by=20_000_000)
        log.process(3, pid=70, start=100, parent=1)
        log.ring(2, 1)
        start(log, 70)
        log.phase(2, 1, "around", (50, 200))

    assert (parents(run)["p2"], parents(run)["p3"]) == ("p1", "around")


def test_a_process_of_a_fork_server_is_part_of_the_phase_that_asked_for_it(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=60, parent=1, comm="server")
        log.process(3, pid=70, start=105, parent=2)
        log.process(4, pid=71, start=305, parent=2)
        log.ring(2, 1)
        log.ring(3, 3)
        start(log, 70)
        log.phase(2, 1, "around", (50, 200))
        start(log, 71, (300, 310), source=3)
        log.phase(3, 1, "deeper", (300, 400))

    assert (parents(run)["p3"], parents(run)["p4"]) == ("around", "deeper")


def test_without_a_phase_around_it_a_process_is_part_of_its_starter(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=60, parent=1, comm="server")
        log.process(3, pid=70, start=105, parent=2)
        log.ring(2, 1)
        start(log, 70, parent=0)

    assert parents(run)["p3"] == "p1"


def test_a_process_of_somebody_else_is_not_taken(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=5, parent=1)
        log.process(3, start=6, parent=2)
        log.process(4, pid=70, start=105, parent=3)
        log.ring(2, 1)
        start(log, 70)
        log.phase(2, 1, "around", (50, 200))

    assert parents(run)["p4"] == "p3"


@pytest.mark.parametrize("pid", ["-1", "0", '"70"', "null", "70.5", "1e99", str(1 << 70), "[" * 3000, "70}{"])
def test_words_that_are_no_pid_are_passed_over(run, pid):
    with run.log() as log:
        log.process(1)
        log.process(2, pid=70, start=105, parent=1)
        log.ring(2, 1)
        start(log, pid)
        log.phase(2, 1, "around", (50, 200))

    assert parents(run)["p2"] == "p1"


def test_a_phase_with_impossible_times_starts_nothing(run):
    with run.log() as log:
        log.process(1)
        log.process(2, pid=70, start=0, parent=1)
        log.ring(2, 1)
        start(log, 70, (5, 3))

    assert parents(run)["p2"] == "p1"


def reaches_the_run(run: HandmadeRun) -> bool:
    """Return whether nothing is its own ancestor."""
    above = {row["id"]: row["parent"] for row in run.open().table("phases").records()}
    here = set(above)
    for _ in above:
        here = {above[member] for member in here if member is not None}
    return not here - {None}


def test_processes_that_say_they_started_each_other_do_not_hang(run):
    with run.log() as log:
        for number in (1, 2, 3):
            log.process(number, pid=70 + number, start=100)
            log.ring(1 + number, number, tag=f"a{number}", parent_tag=f"a{number % 3 + 1}", parent_phase=1)
            log.phase(1 + number, 1, f"around {number}", (50, 200))
            for other, pid in enumerate((71, 72, 73)):
                start(log, pid, source=1 + number, identity=2 + other)

    assert reaches_the_run(run)


def test_a_circle_that_appears_when_another_is_cut_is_cut_too(run):
    with run.log() as log:
        log.process(1, pid=71, start=100)
        for number, announced in ((2, (71, 73)), (3, (72,))):
            log.process(number, pid=70 + number, start=100, parent=1)
            log.ring(number, number)
            log.phase(number, 1, f"around {number}", (50, 200))
            for other, pid in enumerate(announced):
                start(log, pid, source=number, identity=2 + other)

    assert reaches_the_run(run)
