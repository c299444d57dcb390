"""What a warm worker marked lies in the execution in which it did, with its task."""

from __future__ import annotations

from pathlib import Path

from tests.builders import HandmadeRun, part

RING = 7


def test_marks_of_a_worker_lie_in_the_execution_they_were_made_in(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True, name="calls", exit_code=None)
    with made.log() as log:
        log.process(1, start=0)
        log.process(2, start=10, parent=1)
        log.ring(RING, 2)
        log.phase(RING, 1, "warming up", (11, 15))
        log.phase(RING, 2, "first", (21, 30))
        log.phase(RING, 3, "inner", (22, 23), parent=2)
        log.phase(RING, 4, "second", (45, 50))
        log.phase(RING, 5, "between", (57, 59))
    with made.driver() as driver:
        for number in (1, 2):
            driver.task(number, "call")
            driver.start(number, 20 * number)
            driver.finish_job(number, 20 * number + 15, part("exec", 20 * number, 20 * number + 15, pid=102))
        driver.end_well(100)

    found = made.open().query(
        """SELECT phases.name, above.kind, above.name AS above, phases.task, phases.attempt FROM phases
        JOIN phases above ON above.id = phases.parent WHERE phases.kind = 'phase' ORDER BY phases.start_ns"""
    )

    assert [tuple(row.values()) for row in found.records()] == [
        ("warming up", "process", "p2", None, None),
        ("first", "exec", "call", 1, 1),
        ("inner", "phase", "first", 1, 1),
        ("second", "exec", "call", 2, 1),
        ("between", "process", "p2", None, None),
    ]
