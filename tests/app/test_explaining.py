"""What an explanation takes from the tables: which processes stand for tasks, and what joins them."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.app.explaining import evidence_of, explain_run
from longpole.model.explanation import Explanation
from tests.builders import HandmadeLog, HandmadeRun, ms, part
from tests.recording import Someone

PIPED = "seq 3000000 | gzip -c | wc -c"
_PIPES = """
    SELECT before.name AS before, after.name AS after FROM edges
    JOIN phases AS before ON before.id = from_phase JOIN phases AS after ON after.id = to_phase
    WHERE edges.kind = 'pipe' ORDER BY before.name DESC
"""


@pytest.fixture
def run(tmp_path: Path) -> HandmadeRun:
    return HandmadeRun(tmp_path)


def script(log: HandmadeLog, *children: tuple[int, float, float]) -> None:
    """Note a process that lasts a second and its children, by number, begin and end."""
    log.launcher()
    log.process(1)
    for number, start, end in children:
        log.process(number, start=start, parent=1)
        log.exit(number, start, end)
    log.exit(1, 0, 1000)
    log.finish(101, 0, 1000)


def edges(run: HandmadeRun) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in evidence_of(run.open()).edges.records()]


def test_processes_depend_on_those_whose_files_they_or_their_children_open(run: HandmadeRun) -> None:
    with run.log() as log:
        script(log, (2, 10, 200), (3, 210, 400), (4, 410, 900))
        log.process(5, start=420, parent=4)
        log.note("opened", number=2, path="/rows", first=ms(100), written=1)
        log.note("opened", number=3, path="/rows", first=ms(300))
        log.note("opened", number=3, path="/model", first=ms(310), written=1)
        log.note("opened", number=5, path="/model", first=ms(500))
        log.note("opened", number=4, path="/own", first=ms(420), written=1)
        log.note("opened", number=5, path="/own", first=ms(500))

    assert edges(run) == [(2, 3), (3, 4)]


def test_what_a_driver_does_once_more_did_not_wait_for_the_first_time(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True, name="resumed", exit_code=None)
    with made.driver(at=1) as driver:
        driver.task(1, "work")
        driver.task(2, "cleanup", auxiliary=True)
        driver.start(1, 10)
        driver.finish_job(1, 100, part("exec", 11, 99), status=2)
        driver.start(2, 101)
        driver.finish_job(2, 102)
    with made.driver(at=200, pid=201) as driver:
        driver.task(1, "work")
        driver.task(2, "cleanup", auxiliary=True)
        driver.start(1, 210, attempt=2)
        driver.finish_job(1, 900, part("exec", 211, 899), attempt=2)
        driver.start(2, 901, attempt=2)
        driver.finish_job(2, 903, attempt=2)
        driver.end_well(910)

    found = explain_run(made.open()).explanation

    most = max(found.blame, key=lambda each: each.seconds)
    assert (most.what, round(most.seconds, 3)) == ("work", 0.776)


def test_a_file_that_was_opened_before_it_was_written_joins_nothing(run: HandmadeRun) -> None:
    with run.log() as log:
        script(log, (2, 10, 500), (3, 20, 600))
        log.note("opened", number=3, path="/rows", first=ms(90))
        log.note("opened", number=2, path="/rows", first=ms(100), written=1)

    assert edges(run) == []


def test_pipes_are_counted_and_are_no_edges(run: HandmadeRun) -> None:
    with run.log() as log:
        script(log, (2, 10, 900), (3, 10, 910), (4, 10, 920))
        log.process(2, start=10, parent=1, stdout=7)
        log.process(3, start=10, parent=1, stdin=7, stdout=8)
        log.process(4, start=10, parent=1, stdin=8)

    explanation = explain_run(run.open()).explanation

    assert edges(run) == []
    check_pairs(explanation)


def test_a_process_counts_within_the_run_only(run: HandmadeRun) -> None:
    with run.log() as log:
        script(log, (2, 0, 1008), (3, 0, 500))

    explanation = explain_run(run.open()).explanation

    assert (explanation.critical_path_s, explanation.makespan_s) == (1.0, 1.0)


def test_a_recorded_pipeline_has_its_pipes(anyone: Someone) -> None:
    done = anyone.record("bash", "-c", PIPED)
    recorded = anyone.latest()

    assert done.returncode == 0
    found = [tuple(row.values()) for row in recorded.query(_PIPES).records()]
    assert found == [("seq", "gzip"), ("gzip", "wc")]
    check_pairs(explain_run(recorded).explanation)


def check_pairs(explanation: Explanation) -> None:
    """Assert that two pairs are told of, and that what they take together is not more than the run."""
    told = [limit for limit in explanation.limits if "pipe while both run" in limit]
    assert told[0].startswith("2 pairs of processes hand data over")
    assert explanation.makespan_s is not None
    assert explanation.critical_path_s <= explanation.makespan_s
