"""Which tasks are executed, and since when: as far as it can be seen from outside the workers."""

from __future__ import annotations

from longpole.model.standing import RunningTask
from longpole.model.workflow import Template
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.orders import TaskOrder
from longpole.run.standing import Executing

SECOND = 1_000_000_000


def job(number: int, key: int = 0, start_s: int = 0, *, executing: bool = True) -> OpenJob:
    order = TaskOrder(number, f"work {number}", Template("work"))
    opened = OpenJob(number, number, 1, "", False, False, lambda _: True, lambda task: task)
    opened.orders[number] = order
    if executing:
        opened.executing[number] = Execution(order, start_s * SECOND, key=key)
    return opened


def test_who_began_first_comes_first() -> None:
    running, waiting = Executing().look([job(1, start_s=5), job(2, start_s=3)], set(), 10 * SECOND)

    assert running == (RunningTask("work 2", 1, 7.0), RunningTask("work 1", 1, 5.0))
    assert not waiting


def test_a_task_that_waits_at_a_worker_does_not_run_and_begins_when_its_turn_comes() -> None:
    executing, jobs = Executing(), [job(1, key=1), job(2, key=2)]

    first, waiting = executing.look(jobs, {2}, 10 * SECOND)
    assert ([each.name for each in first], waiting) == (["work 1"], {"work": 1})
    executing.look(jobs[1:], set(), 12 * SECOND)
    [second], _ = executing.look(jobs[1:], set(), 15 * SECOND)
    assert second == RunningTask("work 2", 1, 3.0)


def test_a_job_whose_files_still_come_runs_for_an_unknown_time() -> None:
    running, _ = Executing().look([job(1, executing=False)], set(), SECOND)

    assert running == (RunningTask("work 1", 1, None),)
