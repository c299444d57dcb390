"""Tasks that did not run are written down with what became of them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from longpole.log.files import read_logs
from longpole.log.frames import NOTES
from longpole.run.identities import Identities
from longpole.run.journal import Journal
from longpole.run.messages import Verdict
from longpole.run.outcomes import Outcomes
from longpole.run.policy import Known
from longpole.store.derive.workflow_notes import Outcomes as Skipped
from longpole.store.workflow import read_driver_logs
from tests.plan.described import task, workflow
from tests.run.driven import Driven
from tests.run.simulated import Machine, Simulation
from tests.run.test_journal import DRIVER

BEHIND = """
longpole: 1
name: behind
sets: {n: {values: ["1", "2", "3"]}}
tasks:
  a: {run: "false", outputs: [a]}
  b: {run: "false", outputs: [b]}
  each: {for_each: [n], inputs: [a, b], run: "true", outputs: ["each/{n}"]}
"""


def outcomes(folder: Path, simulation: Simulation) -> dict[str, str]:
    """Write down, by name, what became of tasks that did not run; return what is read back."""
    (folder / "log").mkdir()
    journal = Journal(str(folder), {}, {})
    journal.begin(DRIVER)
    identities = Identities(simulation.runner, journal)
    identities.grow()
    Outcomes(simulation.runner, journal, identities).note_all()
    journal.close()
    log = read_driver_logs(folder)
    return {log.planned[number].name: outcome for number, outcome in log.outcomes.items()}


def test_what_was_made_before_what_cannot_run_and_what_never_began_are_told_apart(tmp_path: Path) -> None:
    described = workflow(
        task("old", made=["old"]),
        task("fails", made=["a"]),
        task("behind", ["a"], ["b"]),
        task("far", ["b"], ["c"]),
        task("late", ["old"], ["d"]),
    )
    machine = Machine(cores=1, fate=lambda name, _: Verdict.FAILED if name == "fails" else Verdict.OK)
    simulation = Simulation(
        described, machine, known=lambda job: [Known(cached=True)] if job.number == 0 else None
    ).run()

    found = outcomes(tmp_path, simulation)

    assert found == {"old": "cached", "behind": "skipped", "far": "skipped", "late": "never"}


def test_where_all_ran_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert outcomes(tmp_path, Simulation(workflow(task("a"), task("b")), Machine()).run()) == {}


def test_each_task_that_cannot_run_is_told_once(tmp_path: Path) -> None:
    driven = Driven(tmp_path).write(workflow__yaml=BEHIND).drive(1, keep_going=True)

    [path] = (driven.run_path / "log").iterdir()
    notes = (line for line in _lines(path) if b'"skipped"' in line)
    told = [task for line in notes for task in msgspec.json.decode(line, type=Skipped).tasks]

    assert sorted(told) == [driven.number(f"each n={n}") for n in "123"]


def _lines(path: Path) -> list[bytes]:
    frames = (frame for frames, _ in read_logs(str(path)) for frame in frames if frame.kind == NOTES)
    return [line for frame in frames for line in bytes(frame.payload).split(b"\n")]
