"""Times of runs as placements are compared by them: of a workflow, of a command, and of an import."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.app.run_times import run_times_of
from longpole.model.run_times import RunTimes
from tests.builders import HandmadeRun, ms, part, small_run, workflow_run


def _times(run: HandmadeRun) -> RunTimes:
    with run.open() as stored:
        return run_times_of(stored)


def test_the_times_of_a_workflow_are_sums_over_its_phases(tmp_path: Path):
    times = _times(workflow_run(tmp_path))

    assert times.compute_s == pytest.approx(0.180 + 0.160 + 0.290 + 0.370 + 0.160)
    assert times.stage_in_s == pytest.approx(0.040)
    assert times.queue_s == pytest.approx(0.010 + 0.010 + 0.015 + 0.010 + 0.005)
    assert (times.stage_out_s, times.container_s) == (0.0, 0.0)
    assert times.end_to_end_s == pytest.approx(1.0)
    assert (times.workflow, times.placement, times.drivers) == ("tiles", "baseline", 1)
    assert (times.tasks, times.retries, times.trouble, times.resumed) == (4, 1, "", False)
    assert times.reasons == {}


def test_auxiliary_jobs_stage_but_do_not_compute(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver() as driver:
        driver.task(1, "work")
        driver.task(2, "stage_out", auxiliary=True)
        driver.start(1, 0)
        driver.finish_job(1, 100, part("exec", 10, 60), part("stage_out", 60, 80, bytes=5))
        driver.start(2, 100)
        driver.finish_job(2, 150, part("stage_out", 100, 130, bytes=5))
        driver.end_well(200)

    times = _times(run)

    assert times.stage_out_s == pytest.approx(0.05)
    assert (times.compute_s, times.tasks) == (0.05, 1)


def test_a_job_that_failed_before_it_executed_anything_has_not_computed(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True, exit_code=1)
    with run.driver() as driver:
        driver.task(1, "work")
        driver.task(2, "work")
        driver.start(1, 0)
        driver.finish_job(1, 100, part("exec", 10, 60))
        driver.start(2, 0)
        driver.finish_job(2, 90, part("stage_in", 0, 90, status=1), status=1, cause="It is not there.")
        driver.end_well(200)

    times = _times(run)

    assert times.compute_s == 0.05
    assert times.trouble == "1 job failed"


def test_a_workflow_of_which_nothing_ran_computed_for_no_time(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver() as driver:
        driver.task(1, "work")
        driver.note("outcomes", outcome="cached", tasks=[1])
        driver.end_well(200)

    times = _times(run)

    assert (times.compute_s, times.stage_in_s, times.tasks, times.cached) == (0.0, 0.0, 0, 1)


def test_attempts_of_a_group_count_as_retries(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver() as driver:
        driver.note("group", id=9, label="all")
        driver.task(1, "work", job=9)
        driver.start(9, 0)
        driver.finish_job(9, 100, part("exec", 10, 60, task=1, status=1), status=1)
        driver.start(9, 100, attempt=2)
        driver.finish_job(9, 200, part("exec", 110, 170, task=1), attempt=2)
        driver.end_well(200)

    times = _times(run)

    assert times.compute_s == pytest.approx(0.11)
    assert (times.retries, times.trouble) == (1, "")


def test_parameters_are_those_the_driver_told(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver(parameters=(("variant", "tuned"), ("scale", "tiny"))) as driver:
        driver.end_well(200)

    times = _times(run)

    assert times.parameters == {"variant": "tuned", "scale": "tiny"}
    assert times.parameters["variant"] == "tuned"
    assert times.setting == ("tiles", "baseline", (("scale", "tiny"), ("variant", "tuned")))


def test_parameters_of_an_older_run_are_those_that_were_asked_for(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver(request='{"workflow": "w.yaml", "chosen": {"variant": "tuned"}}') as driver:
        driver.end_well(200)

    assert _times(run).parameters == {"variant": "tuned"}


@pytest.mark.parametrize("request_text", ["", "{", "[]", '{"chosen": 3}', "[" * 100_000])
def test_a_request_that_cannot_be_understood_tells_of_no_parameters(tmp_path: Path, request_text: str):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver(request=request_text) as driver:
        driver.end_well(200)

    assert _times(run).parameters == {}


def test_two_drivers_make_a_run_that_was_resumed(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver() as driver:
        driver.task(1, "work")
    with run.driver(at=500) as driver:
        driver.task(1, "work")
        driver.start(1, 500)
        driver.finish_job(1, 600, part("exec", 510, 590))
        driver.end_well(650)

    times = _times(run)

    assert times.resumed
    assert times.end_to_end_s == pytest.approx(0.65)


def test_a_command_computes_from_begin_to_end_and_tells_nothing_of_staging(tmp_path: Path):
    times = _times(small_run(tmp_path))

    assert times.compute_s == times.end_to_end_s == pytest.approx(1.0)
    assert (times.workflow, times.stage_in_s, times.queue_s) == ("", None, None)
    assert times.reasons["stage_in_s"] == "'longpole record' sees nothing of staging, 'longpole run' does"
    assert set(times.reasons) == {"stage_in_s", "stage_out_s", "container_s", "queue_s"}


@pytest.mark.parametrize(
    ("facts", "trouble"),
    [
        ({"exit_code": 3}, "it ended with exit code 3"),
        ({"exit_code": None, "signal": 9}, "it was ended by signal 9"),
        ({"state": "broken"}, "it was broken off"),
        ({}, ""),
    ],
)
def test_a_run_that_did_not_end_well_says_why(tmp_path: Path, facts: dict[str, object], trouble: str):
    assert _times(small_run(tmp_path, **facts)).trouble == trouble


def test_a_run_that_is_going_is_no_sample_yet(tmp_path: Path):
    run = HandmadeRun(tmp_path, state="running", launcher={"host": "elsewhere", "boot": "b", "pid": 1})
    with run.log() as log:
        log.process(1, start=0)
        log.note("clock", at=ms(10), offset=0, error=0)

    assert _times(run).trouble == "it still runs"
