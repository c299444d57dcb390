"""Why jobs fail, as their user is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.model.failure import FailedTask
from longpole.run.causes import Cause, Causes
from longpole.run.messages import Broken, Executed, Opened, Verdict
from tests.plan.described import task, values, workflow
from tests.run.engines.local.alone import shell
from tests.run.leading import leading

CHAIN = workflow(task("a", made=["out"]), task("b", ["out"], ["b"]), task("c", ["b"]))


def test_a_job_is_told_with_its_command_its_last_lines_and_what_is_skipped(tmp_path: Path) -> None:
    command = "seq 20; exit 3"
    with leading(tmp_path, CHAIN) as parts:
        causes = Causes(parts.runner, parts.engine)
        event = parts.executed(shell(command, "out"))
        causes.hear(event)
        parts.runner.take(event)
        causes.tell(0)

    (told,) = causes.failed
    assert told == FailedTask(
        task="a",
        attempt=1,
        cause="It ended with exit code 3.",
        command=command,
        output=told.output,
        last_lines=tuple(str(number) for number in range(11, 21)),
        folder=str(tmp_path / "scratch" / "0.1"),
        skipped=2,
    )
    assert Path(told.output).parent == tmp_path / "output"


def test_what_depends_on_failures_is_counted_for_the_first_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longpole.run.causes._COUNTED", 1)
    with leading(tmp_path, CHAIN) as parts:
        causes = Causes(parts.runner, parts.engine)
        causes.tell(0)
        causes.tell(1)

    assert [told.skipped for told in causes.failed] == [2, 0]


def test_a_job_that_is_not_open_is_told_by_what_troubles_it(tmp_path: Path) -> None:
    with leading(tmp_path, CHAIN) as parts:
        causes = Causes(parts.runner, parts.engine)
        parts.runner.graph.jobs[0].trouble = "It was lost."
        causes.tell(0)

    assert causes.failed == [FailedTask("a", 1, "It was lost.", skipped=2)]


def test_what_was_heard_last_is_the_cause_and_what_went_well_is_none(tmp_path: Path) -> None:
    with leading(tmp_path, CHAIN) as parts:
        causes = Causes(parts.runner, parts.engine)
        causes.hear(Broken(0, Verdict.TIMED_OUT, "It took too long."))
        causes.hear(Executed(0, 0, Verdict.FAILED, "It failed."))
        causes.hear(Executed(0, 0))
        causes.hear(Opened(0))

        assert causes.of(0) == Cause(Verdict.FAILED, "It failed.", 0)
        assert causes.of(1) == Cause(Verdict.FAILED, "", 1)


def test_the_cause_of_a_cluster_is_the_task_that_failed_and_not_those_that_were_stopped_for_it(
    tmp_path: Path,
) -> None:
    with leading(tmp_path, CHAIN) as parts:
        causes = Causes(parts.runner, parts.engine)
        causes.hear(Executed(0, 0, Verdict.FAILED, "It failed."))
        parts.runner.graph.jobs[0].trouble = "It failed."
        causes.hear(Executed(0, 0, Verdict.STOPPED, "It was stopped."))

        assert causes.of(0) == Cause(Verdict.FAILED, "It failed.", 0)


def test_that_no_more_tasks_can_come_is_told_once(tmp_path: Path) -> None:
    twice = workflow(
        values("n", "1"), task("a", made=["out/1"]), task("b", made=["out/{n}"], for_each=(("n",),))
    )
    with leading(tmp_path, twice) as parts:
        causes = Causes(parts.runner, parts.engine)
        causes.tell_refused()
        causes.tell_refused()

    (told,) = causes.failed
    assert (told.task, told.cause) == ("workflow", parts.runner.refused)
    assert "make 'out/1'" in told.cause
