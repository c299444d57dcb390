"""Phases: from the rings of processes to one tree below the run."""

from __future__ import annotations

from typing import Any

import pytest

from longpole.log import slots
from tests.builders import OFFSET, HandmadeRun, small_run, utc

COLUMNS = ("id", "parent", "kind", "name", "process", "start_ns", "end_ns", "duration_ns", "count", "status")


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def phases(run: HandmadeRun) -> dict[str, dict[str, Any]]:
    """Return the phases by name."""
    return {str(row["name"]): row for row in run.open().table("phases").records()}


def test_the_tree_is_run_then_processes_then_what_they_marked(tmp_path):
    found = phases(small_run(tmp_path))

    assert {name: (row["kind"], row["parent"]) for name, row in found.items()} == {
        "made": ("run", None),
        "p1": ("process", found["made"]["id"]),
        "p2": ("process", found["p1"]["id"]),
        "outer": ("phase", found["p2"]["id"]),
        "inner": ("phase", found["outer"]["id"]),
        "bad": ("phase", found["p2"]["id"]),
    }
    assert sorted(row["id"] for row in found.values()) == [1, 2, 3, 4, 5, 6]


def test_times_are_utc_and_durations_are_exact(tmp_path):
    found = phases(small_run(tmp_path))

    assert (found["inner"]["start_ns"], found["inner"]["end_ns"]) == (utc(200), utc(300))
    assert found["outer"]["duration_ns"] == 250_000_000
    assert (found["made"]["start_ns"], found["made"]["duration_ns"]) == (utc(0), 1_000_000_000)


def test_status_attributes_and_process_are_kept(tmp_path):
    found = phases(small_run(tmp_path))

    assert (found["bad"]["status"], found["inner"]["status"]) == ("failed", "ok")
    assert (found["outer"]["attributes"], found["inner"]["attributes"]) == ('{"rows": 3}', None)
    assert found["outer"]["process"] == found["p2"]["process"] == 2


def test_lane_and_device_are_kept(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.phase(2, 1, "kernel", (1, 2), lane=5, device=2)
        log.phase(2, 2, "host", (1, 2))

    found = phases(run)

    assert (found["kernel"]["lane"], found["kernel"]["device"]) == (5, 1)
    assert (found["host"]["lane"], found["host"]["device"]) == (0, None)


def test_a_phase_open_at_the_end_of_its_process_ends_with_it_unfinished(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.phase(2, 1, "cut", (100, 100), status=slots.UNFINISHED)
        log.note("gone", number=1, by=500_000_000)

    cut = phases(run)["cut"]

    assert (cut["end_ns"], cut["duration_ns"], cut["status"]) == (utc(500), 400_000_000, "unfinished")


def test_an_open_phase_that_ended_after_all_is_there_once(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.phase(2, 1, "once", (100, 100), status=slots.UNFINISHED)
        log.phase(2, 1, "once", (100, 200))

    rows = [row for row in run.open().table("phases").records() if row["name"] == "once"]

    assert [(row["status"], row["duration_ns"]) for row in rows] == [("ok", 100_000_000)]


def test_a_forked_process_marks_below_the_phase_it_was_forked_in(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=150, parent=1)
        log.ring(2, 1, tag="aa")
        log.ring(3, 2, tag="bb", parent_tag="aa", parent_phase=1)
        log.phase(3, 7, "child", (160, 170))
        log.phase(2, 1, "outer", (100, 200))

    found = phases(run)

    assert found["child"]["parent"] == found["outer"]["id"]
    assert found["child"]["process"] == 2


def test_a_parent_that_is_not_there_yet_leaves_the_phase_with_its_process(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.phase(2, 5, "inner", (1, 2), parent=4)

    found = phases(run)

    assert found["inner"]["parent"] == found["p1"]["id"]
    assert run.open().reading.problems == ()


def test_a_ring_without_a_note_keeps_its_phases_below_the_run(run):
    with run.log() as log:
        log.phase(9, 1, "lost", (1, 2))

    found = phases(run)

    assert (found["lost"]["parent"], found["lost"]["process"]) == (found["made"]["id"], None)


def test_a_ring_continued_in_a_second_log_is_one_ring(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1, tag="cc")
        log.phase(2, 1, "before", (1, 2))
    texts = {"before": 2, "phase": 3, "after": 4}
    with run.log(bare=True) as log:
        log.note("clock", at=10_000_000, offset=OFFSET)
        log.note("process", number=1, pid=101, start=0, comm="p1")
        log.note("ring", source=1, number=1, tag="cc", pid=101, parent_tag="0", parent_phase=0)
        log.text(1, "after", number=4)
        log._texts[1] = texts
        log.phase(1, 2, "after", (3, 4), parent=0)
        log.phase(1, 3, "before", (5, 6), parent=2)

    rows = list(run.open().table("phases").records())

    marked = [(row["name"], row["kind"], row["process"]) for row in rows[2:]]
    assert marked == [("before", "phase", 1), ("after", "phase", 1), ("before", "phase", 1)]
    assert rows[4]["parent"] == rows[3]["id"]
    assert run.open().table("processes").rows == 1


def test_sums_are_rows_that_count_more_than_one(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        name, kind = log.text(2, "step"), log.text(2, "train")
        sums = {"name": name, "kind": kind, "status": 0, "count": 5000, "total_ns": 7_000_000}
        log.note("sum", source=2, start=1_000_000, end=9_000_000, **sums)

    stored = run.open()
    step = phases(run)["step"]

    assert {
        name: step[name] for name in ("kind", "count", "duration_ns", "start_ns", "end_ns", "process")
    } == {
        "kind": "train",
        "count": 5000,
        "duration_ns": 7_000_000,
        "start_ns": utc(1),
        "end_ns": utc(9),
        "process": 1,
    }
    assert stored.recording.summed_up == 5000


def test_a_nested_record_is_a_phase_that_holds_its_commands_processes(run):
    with run.log() as log:
        log.launcher()
        log.process(1)
        log.process(2, start=10, parent=1, comm="longpole")
        log.process(3, start=20, parent=2)
        log.ring(2, 2, hello={"role": "launcher"})
        log.phase(2, 1, "solve", (15, 90), kind="command")
        log.cost(2, 1, 1000, 500, 10, 20)

    found = phases(run)
    processes = {row["name"]: row for row in run.open().table("processes").records()}

    assert set(processes) == {"p1", "p3"}
    assert processes["p3"]["parent"] == processes["p1"]["id"]
    assert found["p3"]["parent"] == found["solve"]["id"]
    assert found["solve"]["parent"] == found["p1"]["id"]
    assert found["solve"]["kind"] == "command"


def test_a_text_that_is_lost_leaves_a_question_mark(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        fields = (slots.OK, 0, 1, 0, 77, 78, 79, 1_000_000, 2_000_000, 0, 0, 0, 1)
        log.slot(2, slots.PHASE_LAYOUT.pack(slots.PHASE, *fields))

    row = phases(run)["?"]

    assert (row["kind"], row["attributes"]) == ("phase", None)


def test_a_long_text_is_put_together_from_its_parts(run):
    name = "größe " * 40
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.phase(2, 1, name, (1, 2))

    assert name in phases(run)


@pytest.mark.parametrize("times", [(5, 3), (-5, 3), (3, 2e12)])
def test_impossible_times_are_left_out_and_said(run, times):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.phase(2, 1, "odd", times)

    odd = phases(run)["odd"]

    assert (odd["start_ns"], odd["end_ns"], odd["duration_ns"]) == (None, None, None)
    assert any("cannot be" in problem for problem in run.open().reading.problems)


def test_parents_that_go_round_do_not_hang(run):
    with run.log() as log:
        log.process(1)
        log.process(2)
        log.ring(2, 1, tag="aa", parent_tag="bb", parent_phase=1)
        log.ring(3, 2, tag="bb", parent_tag="aa", parent_phase=1)
        log.phase(2, 1, "a", (1, 2), parent=2)
        log.phase(2, 2, "b", (1, 2), parent=1)
        log.phase(3, 1, "c", (1, 2), parent=1)

    rows = list(run.open().table("phases").records())

    parents = {row["id"]: row["parent"] for row in rows}
    for start in parents:
        here, steps = start, 0
        while here is not None:
            here, steps = parents[here], steps + 1
            assert steps <= len(parents)


@pytest.mark.parametrize(
    ("state", "exit_code", "finish", "expected"),
    [
        ("finished", 0, True, "ok"),
        ("finished", 1, True, "failed"),
        ("running", None, False, "unfinished"),
        ("finished", 0, False, "ok"),
    ],
)
def test_the_run_is_a_phase_with_its_outcome(tmp_path, state, exit_code, finish, expected):
    run = HandmadeRun(tmp_path, state=state, exit_code=exit_code)
    with run.log() as log:
        log.launcher()
        log.sample(1, 0, 700)
        if finish:
            log.finish(1, 0, 900)

    made = phases(run)["made"]

    assert (made["status"], made["end_ns"]) == (expected, utc(900 if finish else 700))
