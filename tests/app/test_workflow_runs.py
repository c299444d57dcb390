"""Runs of workflows of ours as users see them: in lists, screens, explanations and exports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longpole.app.explaining import explain_run
from longpole.record.joint import join_run
from longpole.store.run import StoredRun, open_run
from longpole.store.workflow import read_driver_logs
from tests.app.housekeeping import Desk
from tests.builders import HandmadeRun, workflow_run
from tests.recording import somebody

DRIVER = Path(__file__).parent / "programs" / "small_driver.py"
TASKS, KILLED_IN = 20, 7


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path / "runs", capsys)


@pytest.fixture(scope="module")
def resumed() -> Iterator[StoredRun]:
    """A recorded run of a chain of tasks whose driver was killed and that another went on with."""
    with somebody(nobody=False) as someone:
        path = join_run(str(someone.runs), "chain")
        options = ["--join", path, "--task", "Longpole:driver:1"]
        for first, killed_in in ((1, KILLED_IN), (KILLED_IN, 0)):
            command = [someone.python, str(DRIVER), str(TASKS), str(first), str(killed_in)]
            someone.record(*command, options=options)
        yield open_run(path)


def rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


def test_both_attempts_of_a_job_whose_driver_was_killed_are_in_the_record(resumed: StoredRun) -> None:
    attempts = rows(resumed, f"SELECT attempt, status FROM phases WHERE kind = 'job' AND task = {KILLED_IN}")

    assert attempts == [(1, "unfinished"), (2, "ok")]
    assert rows(resumed, "SELECT count(*), count(DISTINCT id) FROM tasks") == [(TASKS, TASKS)]
    assert rows(resumed, "SELECT status FROM phases WHERE kind = 'run'") == [("ok",)]


def test_recorded_processes_lie_in_the_executions_of_their_tasks(resumed: StoredRun) -> None:
    homeless = rows(
        resumed,
        """SELECT processes.name FROM phases JOIN processes ON processes.id = phases.process
        WHERE phases.kind = 'process' AND phases.task IS NULL AND processes.parent IS NOT NULL""",
    )
    homes = rows(
        resumed,
        """SELECT DISTINCT above.kind FROM phases JOIN phases above ON above.id = phases.parent
        WHERE phases.kind = 'process' AND phases.task IS NOT NULL""",
    )

    assert homeless == []
    assert ("exec",) in homes


def test_all_of_the_makespan_is_blamed_and_hardly_any_has_no_name(resumed: StoredRun) -> None:
    found = explain_run(resumed).explanation
    unnamed = sum(one.seconds for one in found.blame if one.kind == "idle")

    assert sum(one.seconds for one in found.blame) == pytest.approx(found.makespan_s, rel=1e-6)
    assert found.makespan_s is not None
    assert unnamed <= 0.02 * found.makespan_s


def test_who_goes_on_reads_what_was_committed(resumed: StoredRun) -> None:
    log = read_driver_logs(resumed.path)

    assert [session.ended for session in log.sessions] == [False, True]
    assert all(job.committed for job in log.jobs.values())
    assert [one.attempt for one in log.jobs[KILLED_IN].open] == [1]
    assert log.jobs[KILLED_IN].open[0].pids


def test_blame_of_a_run_worked_by_hand(tmp_path: Path) -> None:
    found = explain_run(workflow_run(tmp_path).open()).explanation
    by_kind: dict[str, float] = {}
    for one in found.blame:
        by_kind[one.kind] = by_kind.get(one.kind, 0.0) + one.seconds

    # Executions of 180, 160, 290 and 160 ms on the path. The driver: 50 ms at first, and around executions
    # 10 + 10, 10 + 10, 10 + 10 and 5 + 20 ms.
    assert by_kind["process"] == pytest.approx(0.790 + 0.050 + 0.085)
    assert by_kind["queue"] == pytest.approx(0.010 + 0.010 + 0.010 + 0.005)
    assert by_kind["transfer"] == pytest.approx(0.030)
    assert sum(by_kind.values()) == pytest.approx(1.0)


def test_a_screen_names_the_workflow_its_tasks_and_how_it_ended(desk: Desk) -> None:
    path = workflow_run(desk.runs, command=[]).path

    shown = desk.call("show", str(path)).out

    assert "finished in 1.00 s" in shown
    assert "workflow tiles under placement baseline" in shown
    assert "4 tasks" in shown
    assert "longpole.run.driver" not in shown.split("Tasks")[1].split("Time by phase")[0]


def failed_run(runs: Path) -> HandmadeRun:
    made = HandmadeRun(runs, joint=True, exit_code=1)
    with made.driver() as driver:
        for number, status in ((1, 0), (2, 1), (3, 2)):
            driver.task(number, "work")
            driver.start(number, 10 * number)
            driver.finish_job(
                number, 10 * number + 5, status=status, cause="It failed." if status == 1 else ""
            )
        driver.end_well(50)
    return made


def test_failed_jobs_are_counted_in_the_headline_and_the_list_has_the_exit_code(desk: Desk) -> None:
    path = failed_run(desk.runs).path

    assert "failed after 50 ms, 1 job failed and 1 job broken off" in desk.call("show", str(path)).out
    assert "exit 1" in desk.call("ls").out


def test_a_run_whose_driver_was_killed_is_broken_off(desk: Desk) -> None:
    made = HandmadeRun(desk.runs, joint=True, exit_code=None, state="running", makespan_s=None)
    with made.driver() as driver:
        driver.task(1, "work")
        driver.start(1, 10)

    assert "broken off" in desk.call("ls").out
    shown = desk.call("show", "--all", str(made.path)).out
    assert "The driver of the workflow was killed" in " ".join(shown.split())


def test_an_export_to_wfformat_has_tasks_files_and_who_ran_them(desk: Desk, tmp_path: Path) -> None:
    path = workflow_run(desk.runs, longpole="1.2").path
    desk.call("export", "--to", "wfformat", "-o", str(tmp_path / "made.json"), str(path))

    instance = json.loads((tmp_path / "made.json").read_text())

    assert instance["runtimeSystem"]["name"] == "Longpole"
    tasks = {task["name"]: task for task in instance["workflow"]["specification"]["tasks"]}
    assert tasks["total 4"]["parents"] == ["score_2", "score_3"]
    assert len(instance["workflow"]["specification"]["files"]) == 6


def test_an_export_to_perfetto_holds_the_tasks(desk: Desk, tmp_path: Path) -> None:
    path = workflow_run(desk.runs).path
    desk.call("export", "--to", "perfetto", "-o", str(tmp_path / "made.pftrace"), str(path))

    assert b"stage_in" in (tmp_path / "made.pftrace").read_bytes()
