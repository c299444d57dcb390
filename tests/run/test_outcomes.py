"""Tasks that did not run are written down with what became of them."""

from __future__ import annotations

from pathlib import Path

from longpole.run.identities import Identities
from longpole.run.journal import Journal
from longpole.run.messages import Verdict
from longpole.run.outcomes import Outcomes
from longpole.run.policy import Known
from longpole.store.workflow import read_driver_logs
from tests.plan.described import task, workflow
from tests.run.simulated import Machine, Simulation
from tests.run.test_journal import DRIVER


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
