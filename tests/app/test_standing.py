"""Where a run stands by the logs of its drivers: worked by hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from longpole.app.standing import standing_in, workflow_run
from longpole.app.standing_json import standing_json
from longpole.errors import UsageError
from longpole.model.standing import RunState, Standing, TypeStanding
from longpole.store.derive.workflow_notes import Group, Outcomes
from longpole.store.selection import entry_of
from tests import builders
from tests.builders import HandmadeRun, small_run

TYPES = (("cut", ()), ("score", ("cut",)), ("total", ("cut",)))


def stands(made: HandmadeRun) -> Standing:
    return standing_in(entry_of(made.path))


def run_of(runs: Path, **facts: Any) -> HandmadeRun:
    return HandmadeRun(runs, **{"joint": True, "name": "tiles", **facts})


def test_a_run_that_went_well_with_one_task_tried_twice(tmp_path: Path) -> None:
    found = stands(builders.workflow_run(tmp_path))

    assert (found.state, found.workflow, found.placement) == (RunState.FINISHED, "tiles", "baseline")
    assert [(each.name, each.total, each.ran, each.tried_again) for each in found.types] == [
        ("cut", 1, 1, 0),
        ("score", 2, 2, 1),
        ("total", 1, 1, 0),
    ]
    assert (found.failures, found.running, found.elapsed_s) == ((), (), 1.0)


def test_types_that_are_not_known_yet_say_after_whom_they_are(tmp_path: Path) -> None:
    made = run_of(tmp_path, state="running", exit_code=None, makespan_s=None)
    with made.driver(types=TYPES, cores=2) as driver:
        driver.task(1, "cut")
        driver.start(1, 10)
        driver.flush()

        found = stands(made)

    assert found.state is RunState.RUNNING
    assert found.types == (
        TypeStanding("cut", 1, running=1),
        TypeStanding("score", known_after=("cut",)),
        TypeStanding("total", known_after=("cut",)),
    )
    assert [(task.name, task.attempt) for task in found.running] == [("cut 1", 1)]


def test_tasks_beyond_the_cores_were_handed_over_but_still_wait(tmp_path: Path) -> None:
    made = run_of(tmp_path, state="running", exit_code=None, makespan_s=None)
    with made.driver(cores=2) as driver:
        for number in (1, 2, 3, 4):
            driver.task(number, "work")
            driver.start(number, 10 * number)
        driver.flush()

        found = stands(made)

    assert (found.sum.running, found.never, found.jobs_running) == (2, 2, 2)
    assert [task.name for task in found.running] == ["work 1", "work 2"]


def test_failures_come_in_the_order_in_which_they_happened(tmp_path: Path) -> None:
    made = run_of(tmp_path, exit_code=1)
    with made.driver() as driver:
        for number, end in ((1, 90), (2, 50), (3, 70)):
            driver.task(number, "work")
            driver.start(number, 10)
            driver.finish_job(number, end, status=1, cause=f"It failed at {end}.")
        driver.task(4, "total")
        driver.tell(Outcomes("skipped", (4,)))
        driver.end_well(95)
    output = made.path / "output"
    output.mkdir()
    (output / "work-2.2.1.log").write_text("first\nlast words\n")

    found = stands(made)

    assert [each.cause for each in found.failures] == [f"It failed at {end}." for end in (50, 70, 90)]
    assert found.failures[0].output == os.fspath(output / "work-2.2.1.log")
    assert found.failures[0].last_lines == ("first", "last words")
    assert (found.sum.failed, found.sum.skipped, found.state) == (3, 1, RunState.FAILED)


def test_what_failed_before_a_run_was_resumed_is_no_failure_while_it_goes_on(tmp_path: Path) -> None:
    made = run_of(tmp_path, state="running", exit_code=None, makespan_s=None)
    with made.driver(at=5, pid=11) as driver:
        driver.task(1, "work")
        driver.start(1, 10)
        driver.finish_job(1, 20, status=1, cause="It failed.")
        driver.end_well(30)
    with made.driver(at=50, pid=12) as driver:
        driver.task(1, "work")
        driver.flush()

        found = stands(made)

    assert (found.failures, found.sum.failed, found.never) == ((), 0, 1)
    assert [(one.pid, one.ended) for one in found.sessions] == [(11, True), (12, False)]
    assert found.sessions[0].seconds == pytest.approx(0.025)


def test_a_driver_that_was_killed_leaves_tasks_that_were_stopped(tmp_path: Path) -> None:
    made = run_of(tmp_path, state="running", exit_code=None, makespan_s=None)
    with made.driver() as driver:
        driver.task(1, "work")
        driver.start(1, 40)

    found = stands(made)

    assert (found.state, found.sum.stopped) == (RunState.BROKEN_OFF, 1)
    assert found.elapsed_s == pytest.approx(0.040)


def test_a_run_that_its_user_stopped(tmp_path: Path) -> None:
    made = run_of(tmp_path, exit_code=130)
    with made.driver() as driver:
        driver.task(1, "work")
        driver.start(1, 10)
        driver.finish_job(1, 20, status=2, cause="It was stopped.")
        driver.end_well(30)

    found = stands(made)

    assert (found.state, found.sum.stopped, found.failures) == (RunState.STOPPED, 1, ())


def test_a_job_of_several_tasks_that_failed_is_named_by_its_label(tmp_path: Path) -> None:
    made = run_of(tmp_path, exit_code=1)
    with made.driver() as driver:
        driver.tell(Group(9, "train"))
        for number in (1, 2):
            driver.task(number, "work", job=9)
        driver.start(9, 10)
        driver.finish_job(9, 20, status=1, cause="It failed.")
        driver.end_well(30)

    [failed] = stands(made).failures
    assert failed.task == "train, a job of 2 tasks"


def test_a_run_of_no_workflow_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the run of a workflow"):
        stands(small_run(tmp_path))
    with pytest.raises(UsageError, match="no run of a workflow"):
        workflow_run("", tmp_path)


def test_the_latest_run_of_a_workflow_is_meant_if_nothing_is_said(tmp_path: Path) -> None:
    made = builders.workflow_run(tmp_path, identity="0000000a", stamp="20260101T000000Z")
    small_run(tmp_path, identity="0000000b", stamp="20260201T000000Z")

    assert workflow_run("", tmp_path).path == made.path


def test_json_has_what_the_screen_has(tmp_path: Path) -> None:
    found = standing_json(stands(builders.workflow_run(tmp_path)))

    assert found["schema_version"] == 1
    assert (found["state"], found["exit_code"], found["makespan_s"]) == ("finished", 0, 1.0)
    tasks = found["tasks"]
    assert isinstance(tasks, dict)
    assert (tasks["total"], tasks["ran"], tasks["never"]) == (4, 4, 0)
