"""Executions: what becomes of a task, of a job of its own and of one of several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longpole.model.workflow import Call, Resources, Template
from longpole.run.engines.local.engine import LocalEngine
from longpole.run.messages import Broken, Event, Executed, Opened, Verdict
from longpole.run.orders import TaskOrder
from tests.run.engines.local.alone import engine_alone, job, shell, until_event


def executed(engine: LocalEngine, folder: Path, order: TaskOrder) -> Event:
    """Execute a task of a job of several; return what is heard of it."""
    engine.open(job(folder, several=True), [])
    assert until_event(engine) == Opened(0)
    engine.execute(0, order)
    return until_event(engine)


def double(number: int) -> int:
    return 2 * number


def test_of_several_each_is_told_with_what_it_made_and_has_a_phase_of_its_own(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        event = executed(engine, tmp_path, shell("echo 1 > a; echo 2 > b", "a", "b", task=3))
        (part,) = engine.take_parts(0)

    assert event == Executed(0, 3, made=("a", "b"))
    assert (part.kind, part.task, part.status, part.own) == ("exec", 4, 0, 1)
    assert part.pid > 0


def test_of_several_one_that_lacks_an_output_fails_alone(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        event = executed(engine, tmp_path, shell("true", "never"))
        (part,) = engine.take_parts(0)

    assert isinstance(event, Executed)
    assert (event.verdict, event.made, part.status) == (Verdict.FAILED, (), 1)
    assert "did not make 'never'" in event.cause


def test_a_function_of_several_is_told_with_its_value(tmp_path: Path) -> None:
    template = Template("double", call=Call(double))
    with engine_alone(tmp_path, templates={"double": template}) as engine:
        event = executed(engine, tmp_path, TaskOrder(0, "double", template, call=((21,), {})))

    assert event == Executed(0, 0, value=b"\x2a")


def test_functions_of_several_that_return_more_than_a_log_takes_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longpole.run.engines.local.executions._MOST_VALUE_BYTES", 1)
    template = Template("double", call=Call(double))
    with engine_alone(tmp_path, templates={"double": template}) as engine:
        first = executed(engine, tmp_path, TaskOrder(0, "double", template, call=((21,), {})))
        engine.execute(0, TaskOrder(1, "double", template, call=((21,), {})))
        second = until_event(engine)
        opened = engine.job(0)

    assert first == Executed(0, 0, value=b"\x2a")
    assert isinstance(second, Executed)
    assert (second.verdict, second.value) == (Verdict.FAILED, b"")
    assert "have returned 2 B, which is too much for the log of a run" in second.cause
    assert opened is not None
    assert opened.values == {0: b"\x2a"}


def test_a_task_of_several_that_comes_after_the_stop_is_not_begun(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        engine.open(job(tmp_path, several=True), [])
        assert until_event(engine) == Opened(0)
        engine.stop(0)
        engine.execute(0, shell(f"touch {tmp_path}/began"))

        event = until_event(engine)

    assert event == Executed(0, 0, Verdict.STOPPED, "It was stopped.")
    assert not (tmp_path / "began").exists()


def test_an_argument_that_is_not_plain_fails_the_task_before_it_begins(tmp_path: Path) -> None:
    template = Template("double", call=Call(double))
    with engine_alone(tmp_path, templates={"double": template}) as engine:
        engine.open(job(), [TaskOrder(0, "double", template, call=((object(),), {}))])

        event = until_event(engine)

    assert isinstance(event, Broken)
    assert event.cause.startswith("It could not be started: ")


def test_gpus_and_memory_of_a_task_that_cannot_be_started_are_given_back(tmp_path: Path) -> None:
    needs: dict[str, Any] = {"resources": Resources(gpus=1, memory_bytes=100_000_000)}
    with engine_alone(tmp_path, gpus=(3,)) as engine:
        absent = shell("true", **needs)
        absent.arguments = ("no-such-program",)
        engine.open(job(), [absent])
        first = until_event(engine)
        engine.discard(0)
        engine.open(job(number=1), [shell("echo $CUDA_VISIBLE_DEVICES; exit 1", **needs)])
        second = until_event(engine)
        opened = engine.job(1)

    assert first == Broken(0, Verdict.FAILED, "Its command 'no-such-program' was not found.")
    assert second == Broken(1, Verdict.FAILED, "It ended with exit code 1.")
    assert opened is not None
    assert Path(opened.outputs[0]).read_text() == "3\n"
