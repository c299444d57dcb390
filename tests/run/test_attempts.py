"""Attempts as they are written down, with a real engine and a real journal."""

from __future__ import annotations

from pathlib import Path

from longpole.run.attempts import Attempts
from longpole.run.causes import Cause
from longpole.run.messages import Closed, Made, Open, Verdict
from longpole.run.orders import TaskOrder
from longpole.store.derive.workflow_notes import Start
from tests.plan.described import task, workflow
from tests.run.driven import notes_in
from tests.run.engines.local.alone import shell
from tests.run.leading import Leading, leading

LATER = 1 << 60
ONE = workflow(task("a", made=["out"]))
Remembered = list[tuple[TaskOrder, tuple[Made, ...], bytes]]


def attempts_of(parts: Leading, remembered: Remembered) -> Attempts:
    return Attempts(
        parts.runner,
        parts.engine,
        parts.journal,
        parts.identities,
        lambda *what: remembered.append(what),
    )


def test_a_commit_is_written_down_with_what_was_made_and_the_job_is_forgotten(tmp_path: Path) -> None:
    remembered: Remembered = []
    with leading(tmp_path, ONE) as parts:
        attempts = attempts_of(parts, remembered)
        attempts.note_ready()
        assert parts.instructions == [Open(0, 1)]
        attempts.begin(Open(0, 1), LATER)
        order = shell("echo made > out", "out")
        event = parts.executed(order)
        assert isinstance(event, Closed)
        parts.runner.take(event)
        attempts.commit(event)
        log, left = parts.log(), parts.engine.job(0)

    (number,) = parts.identities.tasks
    assert log.jobs[number].committed
    assert [(log.files[file], size) for file, size, _ in log.jobs[number].outputs] == [("out", 5)]
    assert remembered == [(order, event.made[0], b"")]
    assert left is None


def test_when_a_job_became_ready_is_told_with_its_start(tmp_path: Path) -> None:
    with leading(tmp_path, ONE) as parts:
        attempts = attempts_of(parts, [])
        attempts.note_ready()
        assert parts.runner.ready == []
        attempts.begin(Open(0, 1), LATER)
        attempts.begin(Open(0, 2), LATER)
        parts.journal.flush()

    first, second = (note.ready for note in notes_in(tmp_path) if isinstance(note, Start))
    assert 0 < first < LATER
    assert second == LATER  # nobody said when it was ready again: when it began


def test_a_failure_is_written_down_by_the_attempt_that_the_engine_has(tmp_path: Path) -> None:
    with leading(tmp_path, ONE) as parts:
        attempts = attempts_of(parts, [])
        attempts.begin(Open(0, 1), 1)
        parts.executed(shell("exit 1", "out"))
        parts.runner.graph.jobs[0].attempt = 2  # as a runner that tries again already
        attempts.fail(0, Cause(Verdict.FAILED, "It failed.", 0))
        failed = parts.log().jobs[parts.identities.jobs[0]]

    assert (failed.attempts, failed.status, failed.causes) == (1, 1, ("It failed.",))


def test_what_the_user_has_stopped_is_written_down_as_such(tmp_path: Path) -> None:
    with leading(tmp_path, ONE) as parts:
        attempts = attempts_of(parts, [])
        attempts.begin(Open(0, 1), 1)
        attempts.fail(0, Cause(Verdict.STOPPED, "It was stopped.", 0))

        assert parts.log().jobs[parts.identities.jobs[0]].status == 2
