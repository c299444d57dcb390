"""Opening jobs: what is in the way is told, and a job that is stopped meanwhile does not begin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longpole.model.staging import Item
from longpole.run.messages import Broken, Closed, Executed, Opened, Verdict
from tests.run.engines.local.alone import engine_alone, job, shell, until_event

# Not plain, so that the engine itself opens it.
STEPS: dict[str, Any] = {"timeout_s": 60.0}


def test_a_folder_that_cannot_be_made_breaks_the_job(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        (tmp_path / "scratch" / "0.1").mkdir()
        engine.open(job(tmp_path), [shell("true", "out", **STEPS)])

        event = until_event(engine)

    folder = tmp_path / "scratch" / "0.1"
    assert event == Broken(0, Verdict.FAILED, f"Cannot make its folder {folder}: File exists.")


def test_a_job_without_files_runs_where_all_do(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        opened = job()
        engine.open(opened, [shell(f"pwd > {tmp_path}/where", **STEPS)])

        assert isinstance(until_event(engine), Closed)

    assert (tmp_path / "where").read_text() == f"{tmp_path}/scratch\n"


def test_a_job_that_is_stopped_while_its_files_come_does_not_begin(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("x")
    with engine_alone(tmp_path, bring="copy") as engine:
        order = shell(f"touch {tmp_path}/began", "out", **STEPS)
        order.inputs = (Item("big", str(tmp_path / "big")),)
        engine.open(job(tmp_path), [order])
        engine.stop(0)

        assert until_event(engine) == Broken(0, Verdict.STOPPED, "It was stopped.")

    assert not (tmp_path / "began").exists()


def test_a_job_of_several_tells_that_it_is_open_and_what_cannot_come_fails_its_task_alone(
    tmp_path: Path,
) -> None:
    with engine_alone(tmp_path) as engine:
        engine.open(job(tmp_path, several=True), [])
        assert until_event(engine) == Opened(0)
        order = shell("true")
        order.inputs = (Item("in", str(tmp_path / "nowhere")),)
        engine.execute(0, order)

        event = until_event(engine)

    assert isinstance(event, Executed)
    assert event.verdict is Verdict.FAILED
    assert "nowhere" in event.cause
