"""What drivers told, read back by who goes on with a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.errors import DamagedRunError
from longpole.store.derive.workflow_notes import Group, Outcomes, Parts
from longpole.store.driver_log import JobLog, OpenAttempt
from longpole.store.workflow import has_driver, read_driver_logs
from tests.builders import OFFSET, HandmadeRun, ms, part, small_run, workflow_run


def test_committed_jobs_have_their_outputs_and_the_causes_of_earlier_failures(tmp_path: Path) -> None:
    log = read_driver_logs(workflow_run(tmp_path).path)

    made = ((4, 8, "dd"),)
    assert log.jobs[2] == JobLog(2, 0, made, causes=("It ended with exit code 3.",), session=0, ended=ms(810))
    assert all(job.committed for job in log.jobs.values())
    assert log.planned[4].inputs == (4, 5)
    assert log.numbers()["total.txt"] == 6
    assert log.sizes[6] == 15


def test_drivers_come_in_their_order_with_where_they_ran_and_whether_they_ended(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver(at=1, pid=11):
        pass
    with made.driver(at=50, pid=12, boot="c") as driver:
        driver.end_well(60)

    sessions = read_driver_logs(made.path).sessions

    assert [(one.driver.pid, one.host, one.boot, one.ended) for one in sessions] == [
        (11, "node", "b", False),
        (12, "node", "c", True),
    ]
    assert [(one.offset, one.last) for one in sessions] == [(OFFSET, ms(1)), (OFFSET, ms(60))]


def test_each_driver_finds_out_anew_which_tasks_need_not_run(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver(at=1) as driver:
        driver.tell(Outcomes("skipped", (4, 5)))
    with made.driver(at=50) as driver:
        driver.tell(Outcomes("cached", (1,)))

    assert read_driver_logs(made.path).outcomes == {1: "cached"}


def test_an_attempt_without_an_end_tells_its_processes(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver() as driver:
        driver.task(1, "work")
        driver.start(1, 10)
        driver.tell(Parts(1, 1, (part("exec", 11, 0, pid=55, own=1), part("exec", 11, 0, pid=66))))

    job = read_driver_logs(made.path).jobs[1]

    assert job == JobLog(1, None, open=(OpenAttempt(1, 0, ms(10), (55,)),))
    assert not job.committed


def test_a_commit_counts_whatever_is_told_later(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver() as driver:
        driver.start(1, 10)
        driver.finish_job(1, 20, outputs=((3, 4, "ff"),), value="c0")
        driver.finish_job(1, 30, status=1, cause="It failed.")
        driver.start(1, 40, attempt=2)

    job = read_driver_logs(made.path).jobs[1]

    assert (job.committed, job.outputs, job.value, job.attempts) == (True, ((3, 4, "ff"),), "c0", 2)


def test_a_commit_is_of_the_tasks_that_its_own_driver_had_put_there(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver(at=1) as driver:
        driver.task(1, "cut", job=7)
        driver.task(2, "score", job=7)
    with made.driver(at=50) as driver:
        driver.task(1, "cut", job=7)
        driver.finish_job(7, 60)
        driver.task(2, "score", job=8)
    with made.driver(at=70) as driver:
        driver.task(1, "cut", job=8)
        driver.task(2, "score", job=7)

    log = read_driver_logs(made.path)

    assert log.jobs[7].members == (1,)
    assert (log.planned[1].job, log.planned[2].job) == (8, 7)


def test_groups_and_outcomes_are_there(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver() as driver:
        driver.tell(Group(7, "all"), Outcomes("cached", (1, 2)), Outcomes("skipped", (2,)))

    log = read_driver_logs(made.path)

    assert (dict(log.groups), dict(log.outcomes)) == ({7: "all"}, {1: "cached", 2: "skipped"})


def test_logs_of_agents_are_not_read(tmp_path: Path) -> None:
    made = small_run(tmp_path)
    made.logs()[0].write_bytes(b"no log at all")

    assert read_driver_logs(made.path).sessions == ()
    assert not has_driver(made.path)


def test_a_driver_that_only_made_its_file_has_written_nothing(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver():
        pass
    assert has_driver(made.path)

    made.logs()[0].write_bytes(b"")

    assert not has_driver(made.path)


def test_damaged_frames_cost_what_is_in_them_and_no_more(tmp_path: Path) -> None:
    made = workflow_run(tmp_path)
    path = next(path for path in made.logs() if "-driver-" in path.name)
    data = path.read_bytes()
    at = data.index(b'"job":4,"attempt":1,"at":990')
    path.write_bytes(data[:at] + b"#" + data[at + 1 :])

    jobs = read_driver_logs(made.path).jobs

    assert not jobs[4].committed
    assert jobs[3].committed


def test_a_run_without_a_log_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DamagedRunError, match="Cannot read the log of this run"):
        read_driver_logs(tmp_path)
