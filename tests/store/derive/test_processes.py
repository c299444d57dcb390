"""Processes: one row each, whatever speaks of them."""

from __future__ import annotations

from typing import Any

import pytest

from longpole.log import slots
from longpole.store.derive.loops import cut_loops
from tests.builders import LAUNCHER, OFFSET, HandmadeRun, ms, small_run, utc


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def processes(run: HandmadeRun) -> list[dict[str, Any]]:
    return list(run.open().table("processes").records())


def test_a_process_is_noted_with_all_that_is_known(tmp_path):
    second = processes(small_run(tmp_path))[1]

    assert second == {
        "id": 2,
        "host": 1,
        "pid": 102,
        "parent": 1,
        "start_ns": utc(100),
        "end_ns": utc(500),
        "name": "p2",
        "command": "p2 --run",
        "rank": 3,
        "world": 4,
        "exit_status": 0,
        "source": "exact",
    }


def test_ids_follow_the_starts(run):
    with run.log() as log:
        log.process(7, start=30)
        log.process(8, start=10)
        log.process(9, start=20)

    assert [row["name"] for row in processes(run)] == ["p8", "p9", "p7"]


def test_a_process_that_becomes_another_program_has_the_last_name(run):
    with run.log() as log:
        log.process(1, comm="bash", command="bash -c x")
        log.process(1, comm="python3", command="python3 x.py")
        log.process(1, comm="python3", command="[python3]")

    assert [(row["name"], row["command"]) for row in processes(run)] == [("python3", "python3 x.py")]


@pytest.mark.parametrize(("forked", "name"), [(False, "true"), (True, "python")])
def test_a_process_seen_before_it_executed_a_program_is_called_by_that(run, forked, name):
    with run.log() as log:
        log.process(1, comm="python", command="python drive.py")
        log.process(2, start=10, parent=1, comm="python", command="python drive.py")
        log.exit(2, 10, 20, parent=1, comm="true", forked=forked)

    assert [row["name"] for row in processes(run)] == ["python", name]


def test_the_earliest_word_of_an_end_is_the_closest(run):
    with run.log() as log:
        log.launcher()
        log.process(1)
        log.exit(1, 0, 510)
        log.note("gone", number=1, by=ms(580))
        log.end(101, 0, 500)

    assert [row["end_ns"] for row in processes(run)] == [utc(500)]


def test_an_exit_record_that_is_read_late_still_tells_how_long_the_process_lived(run):
    with run.log() as log:
        log.process(1, start=100)
        log.exit(1, 160, 760)  # it lived 600 ms

    assert [row["end_ns"] for row in processes(run)] == [utc(710)]  # a start is known to one tick


def test_a_sampled_process_that_was_seen_gone_is_not_exact(run):
    with run.log() as log:
        log.process(1)
        log.process(2)
        log.note("gone", number=1, by=ms(580))

    assert [(row["end_ns"], row["source"]) for row in processes(run)] == [
        (utc(580), "sampled"),
        (None, "sampled"),
    ]


def test_an_orphan_only_the_launcher_saw_is_a_process(run):
    with run.log() as log:
        log.launcher()
        name = log.text(LAUNCHER, "worker")
        log.end(4242, 300, 400, status=256, name=name)

    (row,) = processes(run)

    assert (row["pid"], row["name"], row["exit_status"], row["source"]) == (4242, "worker", 256, "exact")
    assert (row["start_ns"], row["end_ns"], row["parent"]) == (utc(300), utc(400), None)


def test_an_end_of_a_pid_that_recurs_belongs_to_the_process_that_lived_then(run):
    with run.log() as log:
        log.launcher()
        log.process(1, pid=50, start=0)
        log.note("gone", number=1, by=ms(100))
        log.process(2, pid=50, start=1000)
        log.end(50, 1000, 2000, status=9)

    assert [row["exit_status"] for row in processes(run)] == [None, 9]


def test_a_child_left_behind_is_still_there(run):
    with run.log() as log:
        log.launcher()
        log.process(1)
        log.end(101, 0, 900, status=-1)

    (row,) = processes(run)

    assert (row["end_ns"], row["exit_status"], row["source"]) == (None, None, "sampled")


def test_a_process_in_two_logs_with_the_same_start_is_one(run):
    with run.log() as log:
        log.process(5, pid=77, start=10)
    with run.log(bare=True) as log:
        log.note("clock", at=ms(100), offset=OFFSET)
        log.process(1, pid=77, start=10)
        log.process(2, pid=77, start=400)

    assert [(row["pid"], row["start_ns"]) for row in processes(run)] == [(77, utc(10)), (77, utc(400))]


@pytest.mark.parametrize(("exit_start", "end"), [(10, 500), (60, 460)])
def test_a_ring_found_after_the_end_belongs_to_the_process_of_the_exit_record(run, exit_start, end):
    with run.log() as log:
        log.exit(3, exit_start, 500, pid=77)
        log.process(4, pid=77, start=10, comm="python", command="[python]")
        log.ring(2, 4)
        log.phase(2, 1, "short", (20, 30))

    assert [(row["pid"], row["name"], row["start_ns"], row["end_ns"]) for row in processes(run)] == [
        (77, "python", utc(10), utc(end))
    ]


def test_a_nested_launcher_whose_ring_came_late_is_the_recorders_all_the_same(run):
    with run.log() as log:
        log.launcher()
        log.process(1)
        log.process(2, start=10, parent=1, comm="longpole", command="longpole record")
        log.process(3, start=20, parent=2)
        log.exit(2, 11, 90, pid=102, parent=1)
        log.process(6, pid=102, start=10, comm="python", command="[python]")
        log.ring(2, 6, hello={"role": "launcher"})
        log.phase(2, 1, "inner", (15, 85), kind="command")

    assert [row["name"] for row in processes(run)] == ["p1", "p3"]
    phases = {row["name"]: row for row in run.open().table("phases").records()}
    assert phases["p3"]["parent"] == phases["inner"]["id"]


def test_two_exit_records_of_one_pid_are_two_processes(run):
    with run.log() as log:
        log.exit(1, 10, 20, pid=77)
        log.exit(2, 30, 40, pid=77)

    assert len(processes(run)) == 2


def test_a_start_is_never_before_the_run_by_the_length_of_a_tick(run):
    with run.log() as log:
        log.launcher()
        log.process(1, start=95)
        log.process(2, start=50)
        log.finish(101, 100, 900)

    assert [row["start_ns"] for row in processes(run)] == [utc(50), utc(100)]


def test_ends_are_believed_from_the_launcher_alone(run):
    with run.log() as log:
        log.process(1)
        log.ring(LAUNCHER, 1)
        log.end(666, 0, 900)
        log.finish(666, 0, 900)

    assert [row["pid"] for row in processes(run)] == [101]
    assert run.open().recording.reaped == 0


def test_processes_that_are_their_own_ancestors_lose_one_parent(run):
    with run.log() as log:
        log.process(1, parent=2)
        log.process(2, parent=1)
        log.process(3, parent=3)

    rows = processes(run)

    assert [row["parent"] for row in rows].count(None) == 2
    assert any("ancestor" in problem for problem in run.open().reading.problems)


def test_many_processes_of_one_pid_take_no_longer(run):
    with run.log() as log:
        log.launcher()
        for number in range(1, 3000):
            log.note("process", number=number, pid=0, start=number)
            log.slot(
                LAUNCHER, slots.EXIT_TIMES_LAYOUT.pack(slots.EXIT_TIMES, 1, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0)
            )

    assert run.open().query("SELECT count(*) AS n FROM processes")["n"][0] >= 2999


@pytest.mark.parametrize(
    ("parents", "cuts"),
    [([], []), ([-1, 0, 1], []), ([0], [0]), ([1, 0], [0]), ([1, 2, 0, 2], [0]), ([-1, 2, 1, 4, 3], [1, 3])],
)
def test_each_loop_is_cut_once(parents, cuts):
    assert cut_loops(parents) == cuts
