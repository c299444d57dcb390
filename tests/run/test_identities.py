"""The numbers of tasks and jobs in the journal."""

from __future__ import annotations

from pathlib import Path

from longpole.model.plan import Clustering, Grouping
from longpole.model.workflow import Call, Result, Template
from longpole.run.identities import Identities
from longpole.run.journal import Journal
from longpole.store.workflow import read_driver_logs
from tests.plan.described import task, tiles, workflow
from tests.run.simulated import Machine, Simulation
from tests.run.test_journal import DRIVER


def written(folder: Path, simulation: Simulation):
    """Write down all tasks of a run; return their numbers, and what is read back."""
    (folder / "log").mkdir()
    journal = Journal(str(folder), {}, {})
    journal.begin(DRIVER)
    identities = Identities(simulation.runner, journal)
    identities.grow()
    identities.grow()
    journal.close()
    return identities, read_driver_logs(folder)


def test_each_task_is_planned_once_and_a_job_of_one_has_its_number(tmp_path: Path) -> None:
    simulation = Simulation(tiles(), Machine()).run()

    identities, log = written(tmp_path, simulation)

    names = [each.name for each in simulation.expansion.tasks]
    assert [log.planned[number].name for number in identities.tasks] == names
    assert len(log.planned) == len(names)
    assert [identities.jobs[job] for job in simulation.runner.graph.job_of] == identities.tasks
    assert not log.groups


def test_the_tasks_of_a_cluster_know_its_number(tmp_path: Path) -> None:
    simulation = Simulation(tiles(), Machine(clustering=Clustering(Grouping.WHOLE))).run()

    identities, log = written(tmp_path, simulation)

    ((number, label),) = log.groups.items()
    assert identities.jobs == {0: number}
    assert label == simulation.runner.graph.jobs[0].label
    assert {log.planned[each].job for each in identities.tasks} == {number}


def test_who_takes_a_result_comes_after_who_returns_it(tmp_path: Path) -> None:
    described = workflow(
        Template("give", call=Call(len)), Template("take", call=Call(len, (Result("give"),))), task("other")
    )
    identities, log = written(tmp_path, Simulation(described, Machine()).run())

    after = {each.name: each.after for each in log.planned.values()}
    give = next(number for number, each in log.planned.items() if each.name == "give")
    assert after == {"give": (), "take": (give,), "other": ()}
    assert give in identities.tasks
