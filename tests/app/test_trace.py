from __future__ import annotations

import io

import pytest

from longpole.app.trace import write_run_trace
from tests import trace_processor
from tests.builders import HandmadeRun, ms, utc
from tests.parts import need

PARTS = {"data": (0, 1.5), "forward": (1.5, 4), "backward": (4, 8.25), "optimizer": (8.25, 9)}


@pytest.fixture
def run(tmp_path):
    """A rank that trained for one epoch of three steps, and then only counted its steps."""
    made = HandmadeRun(tmp_path)
    with made.log() as log:
        log.launcher()
        log.process(1, start=0)
        log.ring(2, 1)
        log.phase(2, 1, "epoch", (100, 135), kind="epoch")
        for number in range(3):
            at = 101 + 10 * number
            parts = {part: (at + start, at + end) for part, (start, end) in PARTS.items()}
            log.step(2, 2 + number, (at, at + 10), parts, parent=1)
        log.phase(2, 5, "save", (110.25, 110.75), kind="checkpoint", parent=1)
        log.sum(2, "step", 5000, (140, 900), kind="step", bins=[[40, 5000]])
        log.sum(2, "batch", 1, (140, 141), kind="batch", bins=[[40, 1]])
        log.finish(101, 0, 1000)
        log.note("ended", at=ms(1001))
    with made.open() as stored:
        yield stored


def test_perfetto_nests_steps_and_their_parts_with_exact_durations(run, tmp_path):
    need("perfetto")
    trace = tmp_path / "run.pftrace"
    with trace.open("wb") as out:
        write_run_trace(run, out, lambda _: None)

    with trace_processor.opened(trace) as processor:
        found = trace_processor.rows(
            processor,
            """select slice.name as name, ts, dur, depth, above.name as above from slice
            join thread_track on track_id = thread_track.id
            left join (select id as above_id, name from slice) above on slice.parent_id = above_id
            order by ts, depth""",
        )

    epoch, *inside = found
    assert epoch == ("epoch", utc(100), ms(35), 0, None)
    assert [row for row in inside if row[0] == "save"] == [("save", utc(110.25), ms(0.5), 2, "step")]
    steps = [row for row in inside if row[0] == "step"]
    assert steps == [("step", utc(101 + 10 * number), ms(10), 1, "epoch") for number in range(3)]
    parts = [row for row in inside if row[0] in PARTS]
    assert parts == [
        (part, utc(101 + 10 * number + start), ms(end - start), 2, "step")
        for number in range(3)
        for part, (start, end) in PARTS.items()
    ]


def test_rows_that_stand_for_many_are_no_slices_and_are_counted(run):
    counts = write_run_trace(run, io.BytesIO(), lambda _: None)

    phases = run.query("SELECT count(*) AS n FROM phases")["n"][0]
    assert counts.left_out == 2
    assert counts.slices == phases - 2


def test_rows_that_stand_for_many_make_no_lane(run):
    counts = write_run_trace(run, io.BytesIO(), lambda _: None)

    counters = run.query("SELECT count(DISTINCT (resource, scope, owner)) AS n FROM samples")["n"][0]
    assert counts.tracks - counters == 3  # the run, its process, and the one thread
