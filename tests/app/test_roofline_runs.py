"""Real programs, each made to be bound by one thing: rooflines name it, and no dot lies above a ceiling."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from longpole.analyse.roofline import roofline
from longpole.app.repeats import case_on
from longpole.app.roofline_run import case_of_run
from longpole.app.run_machine import machine_of_run
from longpole.measure.catalogue import Wishes
from longpole.measure.measuring import Identity, measure
from longpole.model.case import Case
from longpole.model.machine import Machine
from longpole.model.resources import Level
from longpole.model.roofline import Roofline
from tests.recording import Someone, somebody

PROGRAMS = Path(__file__).parent / "programs"
MEASURED = (
    *("cpu", "memory", "disk-read", "disk-write", "cached-read", "cached-write"),
    *("interpreter", "process"),
)
# Times of one run by a clock of ticks, against those of another.
SLACK = 0.05
BOUNDS = {
    "disk": ("disk-read", Level.NODE, "the whole command", 1),
    "compute": ("cpu", Level.NODE, "the whole command", 1),
    "triad": ("memory", Level.NODE, "a part that the program marks with longpole.phase", 1),
    "start": ("interpreter", Level.OVERHEAD, "a program that the command started", 20),
    "poll": ("dispatch", Level.OVERHEAD, "a program that the command started", 20),
}


@pytest.fixture(scope="module")
def recorder() -> Iterator[Someone]:
    with somebody(nobody=False) as someone:
        yield someone


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    folder = tmp_path_factory.mktemp("measured")
    return measure(Wishes(folder, only=MEASURED), Identity("here"), 5.0).machine


@pytest.fixture(scope="module", params=BOUNDS)
def bound(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def command(bound: str, recorder: Someone, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    python, blocks = recorder.python, tmp_path_factory.mktemp("blocks") / "blocks"
    _write_blocks(blocks)
    starts = f"for at in {{1..20}}; do {python} -c 'import json, decimal'; done"
    return {
        "disk": (python, str(PROGRAMS / "read_disk.py"), str(blocks), "1.5"),
        "compute": (python, str(PROGRAMS / "compute.py"), "1.2"),
        "triad": (python, str(PROGRAMS / "triad.py"), "2.5"),
        "start": ("bash", "-c", starts),
        "poll": (python, str(PROGRAMS / "poll.py"), "20"),
    }[bound]


@pytest.fixture(scope="module")
def case(bound: str, command: tuple[str, ...], recorder: Someone, here: Machine) -> Case:
    return _recorded(bound, command, recorder, here)


@pytest.fixture(scope="module")
def found(case: Case) -> Roofline:
    return roofline(case)


def test_bound_is_what_the_program_was_made_for(bound: str, found: Roofline) -> None:
    resource, kind, task, tasks = BOUNDS[bound]
    named = next(one for one in found.ceilings if one.name == found.bound)

    assert (named.resource, named.kind) == (resource, kind)
    assert found.task.startswith(task)
    assert (found.tasks, found.parallel) == (tasks, 1)


def test_no_dot_lies_above_a_ceiling_by_more_than_what_was_measured_can_be_off(
    bound: str, command: tuple[str, ...], recorder: Someone, case: Case, found: Roofline, tmp_path: Path
) -> None:
    above = _above(found)
    for _ in range(5):  # others use the machine, and disks are throttled: what ran and what was measured then
        if not above:
            break
        again = measure(Wishes(tmp_path, only=above), Identity("here"), 3.0).machine
        case = _recorded(bound, command, recorder, _best(case.machine, again))
        above = _above(roofline(case))

    assert not above


def test_what_took_the_time_of_a_real_run_sums_to_its_makespan(case: Case) -> None:
    [dot] = case.dots

    assert sum(dot.parts.values()) == pytest.approx(dot.makespan_s)


def test_machine_of_a_run_is_what_the_run_tells(
    recorder: Someone, found: Roofline, monkeypatch, tmp_path
) -> None:
    monkeypatch.setenv("LONGPOLE_MACHINES", str(tmp_path))
    with recorder.latest() as run:
        machine = machine_of_run(run)

    assert (machine.nodes, set(machine.node) - {"gpu"}) == (1, {"cpu"})
    assert "machine measure" in machine.origin


def _recorded(name: str, command: tuple[str, ...], recorder: Someone, machine: Machine) -> Case:
    """Record a program, and return it as a case on a machine."""
    done = recorder.record(*command, options=["--name", name])
    assert done.returncode == 0, done.stderr
    with recorder.latest() as run:
        return case_of_run(run, machine, projected=False)


def _write_blocks(path: Path) -> None:
    """Write a file that is on the disk."""
    with path.open("wb") as file:
        file.write(os.urandom(64 << 20))
        os.fsync(file.fileno())


def _above(found: Roofline) -> tuple[str, ...]:
    """Return resources whose ceilings the dot lies above."""
    [dot] = found.dots
    own = [one for one in found.ceilings if one.kind is not Level.STRUCTURE]
    return tuple(
        one.resource for one in own if dot.y > one.tasks_per_second_at_dot * (1 + one.spread + SLACK)
    )


def _best(one: Machine, other: Machine) -> Machine:
    """Return a machine with the better of two measures of each resource."""
    node = {**one.node}
    for name, peak in other.node.items():
        node[name] = max(peak, node[name], key=lambda peak: peak.nominal)
    return replace(one, node=node)


def test_a_run_that_failed_is_said_to_have(recorder: Someone) -> None:
    recorder.record("sh", "-c", "exit 3", options=["--name", "failing"])

    with recorder.latest() as run:
        case = case_on(run)

    assert case.unknown[0] == "The command failed with exit code 3: not all of its tasks may be here."
    assert case.recorded


def test_dots_of_a_run_are_not_taken_for_measured_on_another_machine(recorder: Someone) -> None:
    recorder.record(recorder.python, "-c", "pass", options=["--name", "elsewhere"])

    with recorder.latest() as run:
        case = case_on(run, "perlmutter-cpu")

    assert case.projected
    assert all(dot.projected for dot in case.dots)


def test_small_imports_are_known_by_their_sum(recorder: Someone) -> None:
    recorder.record(recorder.python, "-c", "import json, decimal, argparse", options=["--name", "imports"])

    with recorder.latest() as run:
        told = run.query("SELECT value FROM totals WHERE metric = 'import_ns'")
        phases = run.query("SELECT id FROM phases WHERE kind = 'import'")

    assert told.rows == 1 or phases.rows > 0
