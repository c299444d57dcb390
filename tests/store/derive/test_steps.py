"""Steps of one slot each: one phase, and one for each part that was there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longpole.log import slots
from longpole.log.slots import STEP_NONE
from tests.builders import OFFSET, HandmadeRun, ms, utc

PARTS = {"data": (100, 110), "forward": (115, 140), "backward": (140, 180), "optimizer": (180, 195)}


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def rows(run: HandmadeRun) -> list[dict[str, Any]]:
    """Return the phases that processes marked, and what was made of these."""
    return [row for row in run.open().table("phases").records() if row["kind"] not in ("run", "process")]


def by_kind(run: HandmadeRun) -> dict[str, dict[str, Any]]:
    return {row["kind"]: row for row in rows(run)}


def test_a_step_has_its_parts_within_it(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.step(2, 7, (100, 200), PARTS, lane=3)

    found = by_kind(run)
    step = found.pop("step")

    assert (step["name"], step["start_ns"], step["duration_ns"]) == ("step", utc(100), ms(100))
    assert {kind: (row["start_ns"], row["end_ns"]) for kind, row in found.items()} == {
        kind: (utc(start), utc(end)) for kind, (start, end) in PARTS.items()
    }
    for kind, row in found.items():
        assert (row["name"], row["parent"], row["lane"], row["process"]) == (kind, step["id"], 3, 1)
        assert (row["count"], row["status"]) == (1, "ok")
        assert row["duration_ns"] == row["end_ns"] - row["start_ns"]


def test_a_part_that_was_not_there_is_no_row(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.step(2, 1, (100, 200), {"forward": (120, 130)}, kind="inference", name="Net")
        log.step(2, 2, (200, 300), kind="batch", name="batch")

    assert [(row["kind"], row["name"]) for row in rows(run)] == [
        ("inference", "Net"),
        ("batch", "batch"),
        ("forward", "forward"),
    ]


def test_a_part_may_take_no_time(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.step(2, 1, (100, 200), {"data": (100, 100)})

    assert by_kind(run)["data"]["duration_ns"] == 0


def test_steps_hang_in_their_epoch_and_hold_phases_marked_in_them(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        log.step(2, 5, (10, 20), parent=4)
        log.phase(2, 6, "save", (12, 13), kind="checkpoint", parent=5)
        log.phase(2, 4, "epoch", (0, 100), kind="epoch")
        log.step(2, 7, (30, 40))

    found = {(row["kind"], row["start_ns"]): row for row in rows(run)}
    process = next(row for row in run.open().table("phases").records() if row["kind"] == "process")

    step, epoch = found["step", utc(10)], found["epoch", utc(0)]
    assert step["parent"] == epoch["id"]
    assert found["checkpoint", utc(12)]["parent"] == step["id"]
    assert found["step", utc(30)]["parent"] == process["id"]


def test_a_step_in_two_logs_is_one(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1, tag="cc")
        log.step(2, 1, (100, 200), PARTS)
    with run.log(bare=True) as log:
        log.note("clock", at=10_000_000, offset=OFFSET)
        log.note("process", number=1, pid=101, start=0, comm="p1")
        log.ring(1, 1, tag="cc")
        log.step(1, 1, (100, 200), PARTS)
        log.step(1, 2, (200, 300), {"data": (200, 210)})

    kinds = [row["kind"] for row in rows(run)]

    assert kinds == ["step", "step", "data", "data", "forward", "backward", "optimizer"]
    assert run.open().table("processes").rows == 1


def test_a_kind_of_a_later_version_is_a_phase(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        label = log.text(2, "new") << 8 | 200
        times = (10, STEP_NONE, 0, STEP_NONE, 0, STEP_NONE, 0, STEP_NONE)
        log.slot(2, slots.STEP_LAYOUT.pack(slots.STEP, 0, 0, 0, 1, label, 5, *times, 1))

    assert [(row["kind"], row["name"]) for row in rows(run)] == [("phase", "new")]


@pytest.mark.parametrize("start", [-1, 1 << 60, (1 << 60) - 5, -(1 << 63), (1 << 63) - 1])
def test_a_step_of_impossible_times_has_none_and_no_parts(run, start):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        fields = (slots.OK, 0, 0, 1, log.text(2, "step") << 8, start)
        log.slot(2, slots.STEP_LAYOUT.pack(slots.STEP, *fields, 10, 1, 2, 3, 4, 5, 6, 7, 1))

    [row] = rows(run)

    assert (row["kind"], row["start_ns"], row["end_ns"], row["duration_ns"]) == ("step", None, None, None)
    assert any("cannot be" in problem for problem in run.open().reading.problems)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(st.integers(0, STEP_NONE), min_size=8, max_size=8), min_size=1, max_size=20))
def test_parts_lie_within_their_step_whatever_a_slot_claims(tmp_path_factory, times):
    run = HandmadeRun(tmp_path_factory.mktemp("run"))
    with run.log() as log:
        log.process(1)
        log.ring(2, 1)
        label = log.text(2, "step") << 8
        for number, claimed in enumerate(times, start=1):
            log.slot(2, slots.STEP_LAYOUT.pack(slots.STEP, 0, 0, 0, number, label, ms(9), *claimed, number))

    found = rows(run)
    steps = {row["id"]: row for row in found if row["kind"] == "step"}

    assert [steps[number]["duration_ns"] for number in sorted(steps)] == [claimed[0] for claimed in times]
    for part in (row for row in found if row["kind"] != "step"):
        step = steps[part["parent"]]
        assert step["start_ns"] <= part["start_ns"] <= part["end_ns"] <= step["end_ns"]
        assert part["duration_ns"] == part["end_ns"] - part["start_ns"]
