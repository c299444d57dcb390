"""Runs of workflows that are killed at any moment: what was committed stays, the rest is done once more."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from longpole.store.driver_log import DriverLog
from tests.app.ledgers import TASKS, Ledgers, ledger_of
from tests.running import PLACEMENTS, Bench, bench_of

KILLS_IN_SOAK = 200
AUXILIARY = "('create_dir', 'stage_out', 'register', 'cleanup')"
_LONGEST_S = 60.0
Kill = Callable[[Bench, "subprocess.Popen[bytes]"], None]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


@pytest.fixture(scope="module")
def undisturbed(bench: Bench) -> dict[str, str]:
    """What the workflow makes if nobody disturbs it."""
    ledgers = Ledgers(bench, "undisturbed")
    bench.run(*ledgers.lay_out()[1:])
    assert ledgers.count() == TASKS
    return ledgers.made()


# ------------------------------------------------------------------------------------------ killing


def kill_driver(bench: Bench, launcher: subprocess.Popen[bytes]) -> None:
    """Kill the driver alone: whoever started it lives on, and its workers see for themselves."""
    for pid in drivers(bench, launcher):
        kill(pid)


def kill_all_of_ours(bench: Bench, launcher: subprocess.Popen[bytes]) -> None:
    """Kill launcher, driver, agent and their helpers at once; what they started for tasks lives on."""
    for pid in (launcher.pid, *(pid for pid in bench.processes() if not is_of_job(pid))):
        kill(pid)


def kill_session(bench: Bench, launcher: subprocess.Popen[bytes]) -> None:
    """Kill everything of a session, tasks included, as a closing terminal or a batch system may."""
    for pid in processes_of_session(launcher.pid):
        kill(pid)


def kill_launcher(bench: Bench, launcher: subprocess.Popen[bytes]) -> None:
    """Kill the launcher, and a moment later its driver."""
    found = drivers(bench, launcher)
    for pid in (launcher.pid, *found):
        kill(pid)


KINDS: dict[str, Kill] = {
    "driver": kill_driver,
    "all": kill_all_of_ours,
    "session": kill_session,
    "launcher first": kill_launcher,
}


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has just ended


def drivers(bench: Bench, launcher: subprocess.Popen[bytes]) -> list[int]:
    found = [pid for pid in bench.processes() if b"longpole.app.driving" in read(pid, "cmdline")]
    return [
        pid for pid in found if read(pid, "stat").rpartition(b")")[2].split()[1:2] == [b"%d" % launcher.pid]
    ]


def is_of_job(pid: int) -> bool:
    return b"LONGPOLE_JOB=" in read(pid, "environ")


def processes_of_session(leader: int) -> list[int]:
    found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in found if read(pid, "stat").rpartition(b")")[2].split()[3:4] == [b"%d" % leader]]


def read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


# ------------------------------------------------------------------------------------------ disturbing


def disturb(ledgers: Ledgers, arguments: list[str], begun: int, how: Kill) -> DriverLog:
    """Run until so many tasks have begun, then kill; return what was written down until then."""
    launcher = ledgers.bench.start(*arguments)
    limit = time.monotonic() + _LONGEST_S
    while ledgers.count() < begun and launcher.poll() is None and time.monotonic() < limit:
        time.sleep(0.001)
    how(ledgers.bench, launcher)
    launcher.wait(_LONGEST_S)
    return ledgers.bench.log()


def number_of(ledgers: Ledgers) -> str:
    return ledgers.bench.runs()[-1].name.rpartition("-")[2]


def finish(ledgers: Ledgers) -> None:
    done = ledgers.bench.call("run", "--resume", number_of(ledgers))
    assert done.returncode == 0, done.stderr


# ------------------------------------------------------------------------------------------ checking


def committed(log: DriverLog) -> set[str]:
    """Return the ledgers of tasks whose commit is in the log."""
    done = {number for number, job in log.jobs.items() if job.committed}
    tasks = (task for task in log.planned.values() if not task.auxiliary)
    return {ledger_of(task.name) for task in tasks if (task.job or task.id) in done}


def check_order(ledgers: Ledgers, before: DriverLog, begun: dict[str, int]) -> None:
    """Check that nothing committed ran again, nothing overlapped, and all ran in the end."""
    after = ledgers.begun()
    again = {name for name, times in after.items() if times > begun.get(name, 0)}

    assert not again & committed(before)
    assert again | committed(before) == set(after)
    assert len(after) == TASKS
    assert ledgers.overlaps() == []


def check_record(ledgers: Ledgers, before: DriverLog) -> None:
    """Check that attempts which the kill broke off are in the record, and that each job ended well."""
    found = ledgers.bench.rows(f"""
        SELECT t.id, t.name, p.attempt, p.status FROM phases p LEFT JOIN tasks t ON t.id = p.task
        WHERE p.kind = 'job' AND p.name NOT IN {AUXILIARY} ORDER BY p.attempt""")
    last = {(task, name): status for task, name, _, status in found}
    broken = {(task, attempt) for task, _, attempt, status in found if status == "unfinished"}
    open_jobs = {
        (number, each.attempt)
        for number, job in before.jobs.items()
        if (number in before.planned and not before.planned[number].auxiliary)
        for each in job.open
    }

    assert set(last.values()) == {"ok"}
    assert open_jobs <= broken


def check_commands(bench: Bench) -> None:
    """Check that a run of several drivers can be looked at, and that all of its time is blamed."""
    assert bench.call("show", "latest").returncode == 0
    assert bench.call("ls").returncode == 0
    explained = bench.json("explain", "latest")
    assert sum(one["seconds"] for one in explained["blame"]) == pytest.approx(explained["makespan_s"])


def check_nothing_is_left(ledgers: Ledgers) -> None:
    """Check that all is gone but agents, who stay a moment for commands that may join."""
    bench = ledgers.bench

    assert [read(pid, "cmdline") for pid in bench.processes() if not is_agent(pid)] == []
    assert bench.mounts() == []
    assert list((ledgers.work / "scratch").iterdir()) == []
    assert control_groups(bench) == []


def is_agent(pid: int) -> bool:
    """Return whether this is a fork of a launcher in a session of its own, or a process that has ended."""
    line = read(pid, "cmdline")
    return not line or (b"longpole\0run\0" in line and os.getsid(pid) == pid)


def control_groups(bench: Bench) -> list[str]:
    """Return the control groups of the drivers of the last run."""
    names = tuple(f"longpole-{session.driver.pid}-" for session in bench.log().sessions)
    walked = os.walk("/sys/fs/cgroup")
    return [
        os.path.join(root, name)
        for root, names_of, _ in walked
        for name in names_of
        if name.startswith(names)
    ]


# ------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("how", KINDS)
def test_a_killed_run_goes_on(bench: Bench, undisturbed: dict[str, str], how: str, number: int) -> None:
    chance = random.Random(f"{how} {number}")
    ledgers = Ledgers(bench, f"{how.replace(' ', '-')}-{number}")
    before = disturb(ledgers, ledgers.lay_out(), chance.randint(1, TASKS - 1), KINDS[how])
    begun = ledgers.begun()
    finish(ledgers)

    check_order(ledgers, before, begun)
    check_record(ledgers, before)
    assert ledgers.made() == undisturbed
    check_nothing_is_left(ledgers)


@pytest.mark.parametrize(
    ("placement", "how"),
    [("baseline", "driver"), ("baseline", "all"), ("baseline", "session"), ("clustering", "driver")],
)
def test_a_run_is_killed_while_its_files_move(
    bench: Bench, undisturbed: dict[str, str], placement: str, how: str
) -> None:
    chance = random.Random(f"{placement} {how}")
    ledgers = Ledgers(bench, f"{placement}-{how}")
    arguments = ledgers.lay_out("--placement", placement)
    before = disturb(ledgers, arguments, chance.randint(1, TASKS - 1), KINDS[how])
    begun = ledgers.begun()
    finish(ledgers)

    check_order(ledgers, before, begun)
    check_record(ledgers, before)
    assert results_of(ledgers.made()) == results_of(undisturbed)
    check_nothing_is_left(ledgers)


def results_of(made: dict[str, str]) -> dict[str, str]:
    """Return the results alone: files that stay within a cluster are kept nowhere."""
    return {name: text for name, text in made.items() if name.startswith("result ")}


def test_a_run_is_killed_again_and_again(bench: Bench, undisturbed: dict[str, str]) -> None:
    ledgers = Ledgers(bench, "again")
    arguments = ledgers.lay_out()
    logs = []
    for begun, how in ((30, "driver"), (90, "all"), (150, "driver")):
        logs.append((disturb(ledgers, arguments, begun, KINDS[how]), ledgers.begun()))
        arguments = ["run", "--resume", number_of(ledgers)]
    finish(ledgers)

    for log, already in logs:
        after = ledgers.begun()
        assert not {name for name in committed(log) if after[name] > already[name]}
    check_order(ledgers, *logs[-1])
    check_record(ledgers, logs[-1][0])
    check_commands(bench)
    assert ledgers.made() == undisturbed
    check_nothing_is_left(ledgers)


def test_an_ordinary_user_goes_on_with_a_killed_run() -> None:
    with bench_of(nobody=True) as bench:
        ledgers = Ledgers(bench, "nobody")
        before = disturb(ledgers, ledgers.lay_out(), 80, KINDS["all"])
        begun = ledgers.begun()
        finish(ledgers)

        check_order(ledgers, before, begun)
        check_record(ledgers, before)
        check_nothing_is_left(ledgers)


@pytest.mark.soak
def test_a_run_is_killed_two_hundred_times(undisturbed: dict[str, str]) -> None:
    chance = random.Random()
    for number in range(KILLS_IN_SOAK):
        how, placement = chance.choice([*KINDS]), chance.choice(PLACEMENTS)
        with bench_of(nobody=False) as bench:
            ledgers = Ledgers(bench, str(number))
            arguments = ledgers.lay_out("--placement", placement)
            before = disturb(ledgers, arguments, chance.randint(1, TASKS), KINDS[how])
            begun = ledgers.begun()
            finish(ledgers)
            check_order(ledgers, before, begun)
            check_record(ledgers, before)
            assert results_of(ledgers.made()) == results_of(undisturbed)
            check_nothing_is_left(ledgers)
