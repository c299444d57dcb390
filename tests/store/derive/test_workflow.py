"""Runs of workflows of ours: what drivers told becomes tasks, phases and totals; processes lie in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.manifest import State
from longpole.store.derive.workflow_notes import End, Files, Group, Outcomes, Outline, Parts, Sizes, Start
from longpole.store.run import StoredRun
from tests.builders import HandmadeDriver, HandmadeRun, ms, part, utc, workflow_run

JOINT: dict[str, Any] = {"joint": True, "name": "tiles", "exit_code": None}


def rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


def driven(path: Path) -> tuple[HandmadeRun, HandmadeDriver]:
    """Return a run without agents, and its driver, which has told of one task."""
    run = HandmadeRun(path, **JOINT)
    driver = run.driver(at=1)
    driver.task(1, "work")
    return run, driver


def test_each_attempt_is_a_job_with_its_queue_and_what_was_told(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    found = rows(
        run,
        """SELECT kind, name, attempt, status, start_ns, end_ns FROM phases
        WHERE task = 1 AND kind <> 'process'""",
    )

    assert found == [
        ("job", "cut", 1, "ok", utc(50), utc(300)),
        ("queue", "cut", 1, "ok", utc(50), utc(60)),
        ("stage_in", "cut", 1, "ok", utc(60), utc(100)),
        ("transfer", "http", 1, "ok", utc(65), utc(95)),
        ("exec", "cut", 1, "ok", utc(110), utc(290)),
    ]
    assert run.reading.problems == ()


def test_a_job_that_was_tried_again_has_two_attempts_and_says_why(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    found = rows(
        run, "SELECT attempt, status, attributes FROM phases WHERE task = 2 AND kind = 'job' ORDER BY id"
    )

    assert [row[:2] for row in found] == [(1, "failed"), (2, "ok")]
    assert json.loads(found[0][2]) == {"cause": "It ended with exit code 3.", "placement": "baseline"}


def test_a_cluster_says_what_it_had_and_an_older_one_does_not(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.tell(Group(8, "new", 4, 1), Group(9, "old"))
        for job in (8, 9):
            driver.start(job, 0)
            driver.finish_job(job, 10)
        driver.end_well(20)

    found = dict(rows(run.open(), "SELECT name, attributes FROM phases WHERE kind = 'job'"))

    assert json.loads(found["new"]) == {"placement": "baseline", "cores": 4, "gpus": 1}
    assert json.loads(found["old"]) == {"placement": "baseline"}


def test_a_file_is_as_large_as_was_told_and_as_what_was_made_of_it_later(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.tell(Files(11, ("old", "made", "unknown")), Sizes(((11, 5), (12, 6))))
        driver.start(1, 0)
        driver.tell(End(1, 1, ms(10), outputs=((12, 70, "sum"),)))
        driver.end_well(20)

    found = rows(run.open(), "SELECT name, bytes FROM files ORDER BY id")

    assert found == [("old", 5), ("made", 70), ("unknown", None)]


def test_what_the_workflow_was_is_with_the_run_as_its_last_driver_told_it(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.tell(Outline(jobs=3))
    with run.driver(at=50, parameters=(("variant", "tuned"),)) as driver:
        driver.tell(Outline(jobs=4, staged_in=9, input_bytes=-1))
        driver.end_well(90)

    [(said,)] = rows(run.open(), "SELECT attributes FROM phases WHERE kind = 'run'")

    facts = json.loads(said)
    assert facts["plan"]["jobs"] == 4
    assert facts["plan"]["staged_in"] == 9
    assert "input_bytes" not in facts["plan"]
    assert (facts["drivers"], facts["parameters"]) == (2, {"variant": "tuned"})


def test_processes_lie_in_the_execution_they_were_started_for(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    found = rows(
        run,
        """SELECT processes.pid, above.kind, phases.task, phases.attempt FROM phases
        JOIN processes ON processes.id = phases.process JOIN phases above ON above.id = phases.parent
        WHERE phases.kind = 'process' ORDER BY processes.pid""",
    )

    assert found == [
        (101, "run", None, None),
        (102, "exec", 1, 1),
        (103, "process", 1, 1),
        (104, "exec", 2, 1),
        (105, "exec", 3, 1),
        (106, "exec", 2, 2),
        (107, "exec", 4, 1),
    ]


def test_the_driver_makes_no_task_of_its_own(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    assert rows(run, "SELECT id, type, outcome FROM tasks") == [
        (1, "cut", "ran"),
        (2, "score", "ran"),
        (3, "score", "ran"),
        (4, "total", "ran"),
    ]
    assert run.recording.commands == 0
    assert (run.recording.workflow, run.recording.placement) == ("tiles", "baseline")


def test_a_process_whose_start_is_known_to_a_tick_only_begins_with_its_execution(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, **JOINT)
    with made.log() as log:
        log.process(1, start=95)
        log.exit(1, 95, 130)
    with made.driver() as driver:
        driver.task(1, "work")
        driver.start(1, 100)
        driver.finish_job(1, 120, part("exec", 101, 119, pid=101, own=1))
        driver.end_well(125)

    found = rows(made.open(), "SELECT start_ns, end_ns FROM phases WHERE kind = 'process'")

    assert found == [(utc(101), utc(119))]


def test_a_warm_worker_is_the_process_of_executions_and_lies_in_none(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, **JOINT)
    with made.log() as log:
        log.process(1, start=0)
        log.process(2, start=10, parent=1)
    with made.driver() as driver:
        for number in (1, 2):
            driver.task(number, "call")
            driver.start(number, 20 * number)
            driver.finish_job(number, 20 * number + 15, part("exec", 20 * number, 20 * number + 15, pid=102))
        driver.end_well(100)
    run = made.open()

    assert rows(run, "SELECT task, process FROM phases WHERE kind = 'exec'") == [(1, 2), (2, 2)]
    assert rows(run, "SELECT DISTINCT task FROM phases WHERE kind = 'process'") == [(None,)]


def test_what_a_process_used_is_in_the_totals_of_its_execution_and_once_in_those_of_the_run(
    tmp_path: Path,
) -> None:
    run = workflow_run(tmp_path).open()

    of_phase = rows(
        run,
        """SELECT metric, value, source FROM totals JOIN phases ON owner = id
        WHERE scope = 'phase' AND task = 1""",
    )
    of_run = rows(run, "SELECT value FROM totals WHERE scope = 'run' AND metric = 'cpu_user_ns'")

    assert ("cpu_user_ns", 90e6, "exact") in of_phase
    assert ("peak_memory_bytes", 2048 * 1024.0, "exact") in of_phase
    assert of_run == [(700e6,)]


def test_a_group_has_no_task_and_its_executions_have_theirs(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.tell(Group(9, "whole"))
        driver.task(2, "work", job=9)
        driver.task(3, "other", job=9)
        driver.start(9, 10)
        parts = part("stage_in", 10, 20), part("exec", 20, 30, task=2), part("exec", 30, 40, task=3)
        driver.finish_job(9, 41, *parts)
        driver.end_well(50)
    opened = run.open()

    found = rows(opened, "SELECT kind, name, task FROM phases WHERE kind <> 'run' ORDER BY id")
    outcomes = rows(opened, "SELECT id, outcome FROM tasks ORDER BY id")

    assert found == [
        ("job", "whole", None),
        ("stage_in", "whole", None),
        ("exec", "work", 2),
        ("exec", "other", 3),
    ]
    assert outcomes == [(1, "never"), (2, "ran"), (3, "ran")]


def test_what_the_driver_did_lies_in_the_run(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.tell(Parts(0, 0, (part("plan", 2, 8), part("transfer", 3, 4, within=0, bytes=7))))
        driver.end_well(10)

    found = rows(
        run.open(),
        """SELECT phases.kind, phases.name, above.kind, phases.attempt, phases.attributes FROM phases
        JOIN phases above ON above.id = phases.parent ORDER BY phases.id""",
    )

    assert found == [
        ("plan", "plan", "run", None, None),
        ("transfer", "transfer", "plan", None, '{"bytes": 7}'),
    ]


def test_tasks_that_did_not_run_tell_why(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.task(2, "work")
        driver.task(3, "work")
        driver.tell(Outcomes("cached", (2, 77)), Outcomes("skipped", (3,)))
        driver.end_well(10)

    assert rows(run.open(), "SELECT outcome FROM tasks ORDER BY id") == [
        ("never",),
        ("cached",),
        ("skipped",),
    ]


def killed_and_resumed(path: Path) -> HandmadeRun:
    """Return a run whose first driver was killed within an attempt, and whose second tried it again."""
    made = HandmadeRun(path, **JOINT)
    with made.log() as log:
        log.process(1, start=0, pid=101)
        log.process(2, start=12, parent=1)
        log.exit(1, 0, 30)
        log.exit(2, 12, 35)
    with made.driver(at=1) as driver:
        driver.task(1, "work")
        driver.start(1, 10)
        driver.tell(Parts(1, 1, (part("exec", 12, 0, pid=102, own=1),)))
    with made.driver(at=5000, pid=201) as driver:
        driver.task(1, "work")
        driver.finish_job(1, 5010, status=2)
        driver.start(1, 5020, attempt=2)
        driver.finish_job(1, 5060, part("exec", 5021, 5059), attempt=2)
        driver.end_well(5100)
    return made


def test_an_attempt_that_a_killed_driver_left_ended_with_its_processes(tmp_path: Path) -> None:
    run = killed_and_resumed(tmp_path).open()

    found = rows(run, "SELECT kind, attempt, status, start_ns, end_ns FROM phases WHERE task = 1 ORDER BY id")

    assert found == [
        ("job", 1, "unfinished", utc(10), utc(35)),
        ("job", 2, "ok", utc(5020), utc(5060)),
        ("exec", 1, "unfinished", utc(12), utc(35)),
        ("exec", 2, "ok", utc(5021), utc(5059)),
        ("process", 1, "ok", utc(12), utc(35)),
    ]
    assert rows(run, "SELECT count(*) FROM tasks") == [(1,)]
    assert rows(run, "SELECT status FROM phases WHERE kind = 'run'") == [("ok",)]


def test_an_attempt_of_a_killed_driver_without_processes_ended_with_that_driver(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, **JOINT, state="running")
    with made.driver(at=1) as driver:
        driver.task(1, "work")
        driver.start(1, 10)
        driver.tell(Parts(1, 1, (part("stage_in", 10, 25),)))
    run = made.open()

    assert run.state is State.BROKEN
    assert rows(run, "SELECT status, end_ns FROM phases WHERE kind = 'job'") == [("unfinished", utc(25))]
    assert rows(run, "SELECT status FROM phases WHERE kind = 'run'") == [("unfinished",)]


@pytest.mark.parametrize(("status", "said"), [(0, "ok"), (1, "failed"), (2, "unfinished")])
def test_a_run_ended_as_the_last_attempts_of_its_jobs_did(tmp_path: Path, status: int, said: str) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.start(1, 10)
        driver.finish_job(1, 20, status=1)
        driver.start(1, 30, attempt=2)
        driver.finish_job(1, 40, attempt=2, status=status)
        driver.end_well(50)
    opened = run.open()

    assert rows(opened, "SELECT status FROM phases WHERE kind = 'run'") == [(said,)]
    assert opened.recording.jobs_failed == (status == 1)


def test_without_agents_times_are_by_the_drivers_own_clock(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.start(1, 10)
        driver.finish_job(1, 20)
        driver.end_well(50)

    assert rows(run.open(), "SELECT start_ns, end_ns FROM phases WHERE id = 1") == [(utc(1), utc(50))]


def test_a_driver_on_another_boot_is_on_the_axis_by_its_own_clock(tmp_path: Path) -> None:
    made = workflow_run(tmp_path)
    with made.driver(at=2000, boot="another") as driver:
        driver.task(9, "late")
        driver.start(9, 2010)
        driver.finish_job(9, 2020)
        driver.end_well(2030)

    assert rows(made.open(), "SELECT start_ns FROM phases WHERE name = 'late'") == [(utc(2010),)]


def test_what_cannot_be_is_counted_and_the_rest_kept(tmp_path: Path) -> None:
    run, driver = driven(tmp_path)
    with driver:
        driver.start(1, 10)
        driver.start(1, 11)
        driver.tell(End(77, 1, ms(30), parts=(part("exec", 22, 28),)))
        impossible = part("exec", 20, 15)
        driver.finish_job(1, 40, impossible, part("post", 39, 90, within=0), part("post", 1, 2, within=5))
        driver.end_well(50)
    opened = run.open()

    found = rows(
        opened, "SELECT kind, name, task, start_ns, end_ns FROM phases WHERE kind <> 'run' ORDER BY id"
    )

    assert found == [
        ("job", "work", 1, utc(10), utc(40)),
        ("job", "job 77", None, utc(22), utc(30)),
        ("exec", "job 77", None, utc(22), utc(28)),
        ("post", "work", 1, utc(39), utc(40)),
        ("post", "work", 1, utc(10), utc(10)),
    ]
    assert len(opened.reading.problems) == 3


MOMENTS = st.integers(0, 60)
PARTS = st.builds(
    part,
    st.sampled_from(["exec", "stage_in", "transfer"]),
    MOMENTS,
    MOMENTS,
    within=st.integers(-1, 3),
    task=st.integers(0, 4),
    pid=st.integers(100, 103),
    own=st.integers(0, 1),
)
NOTES = st.lists(
    st.one_of(
        st.builds(Start, st.integers(1, 4), st.integers(1, 2), MOMENTS.map(ms), MOMENTS.map(ms)),
        st.builds(
            End,
            st.integers(1, 4),
            st.integers(1, 2),
            MOMENTS.map(ms),
            st.integers(0, 3),
            st.lists(PARTS, max_size=4).map(tuple),
        ),
        st.builds(Parts, st.integers(0, 4), st.integers(1, 2), st.lists(PARTS, max_size=3).map(tuple)),
    ),
    max_size=12,
)


@given(NOTES)
def test_every_task_has_a_row_phases_nest_and_commits_ran(
    tmp_path_factory: pytest.TempPathFactory, notes: list[Start | End | Parts]
) -> None:
    made = HandmadeRun(tmp_path_factory.mktemp("run"), **JOINT)
    with made.log() as log:
        log.process(1, start=0)
        log.process(2, start=5, parent=1)
        log.process(3, start=6, parent=2)
    with made.driver() as driver:
        for number in (1, 2, 3):
            driver.task(number, "work")
        driver.tell(*notes)
        driver.end_well(70)

    with made.open() as run:
        assert rows(run, "SELECT id FROM tasks ORDER BY id") == [(1,), (2,), (3,)]
        outside = """SELECT inner_.id FROM phases inner_ JOIN phases outer_ ON outer_.id = inner_.parent
            WHERE outer_.kind <> 'run' AND inner_.kind <> 'process' AND outer_.kind <> 'process'
            AND (inner_.start_ns < outer_.start_ns OR inner_.end_ns > outer_.end_ns)"""
        assert rows(run, outside) == []
        assert rows(run, "SELECT id FROM phases WHERE duration_ns < 0") == []
        committed = {note.job for note in notes if isinstance(note, End) and note.status == 0}
        ran = {number for (number,) in rows(run, "SELECT id FROM tasks WHERE outcome = 'ran'")}
        assert committed & {1, 2, 3} <= ran
