"""Workers: how many tasks they take, and what is told of those that wait."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from longpole.model.workflow import Call, Template
from longpole.run.engines.local.engine import LocalEngine
from longpole.run.messages import Broken, Closed, Executed, Opened, Verdict
from longpole.run.orders import TaskOrder
from longpole.run.survivors import end_survivors, survivors
from tests.run.engines.local.alone import RUN_ID, engine_alone, job, shell, until_event, until_there


def leaving(folder: Path) -> str:
    """Return a command that leaves a process in a session of its own."""
    flag = folder / "flag"
    return f"setsid sh -c 'touch {flag}; exec sleep 60' & while test ! -e {flag}; do sleep 0.01; done"


def leave(path: str, apart: bool, ends: bool) -> None:
    """Start a process, in a session of its own or not, and fail or never end."""
    left = subprocess.Popen(["sleep", "60"], start_new_session=apart)
    Path(path).write_text(f"{left.pid} {os.getpid()}")
    if ends:
        raise ValueError("enough")
    time.sleep(60)


def left_by_function(engine: LocalEngine, path: Path, template: Template, *how: bool) -> list[int]:
    """Let a function fail; return the process that it has left, and the worker that called it."""
    engine.open(job(), [TaskOrder(0, "leave", template, call=((str(path), *how), {}))])
    assert isinstance(until_event(engine), Broken)
    return [int(pid) for pid in path.read_text().split()]


def test_workers_take_tasks_ahead_once_tasks_have_shown_to_be_short(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        before = engine.ahead
        limit = 200
        while not engine.ahead and limit:  # a busy machine may make the first ones slow
            engine.open(job(number=limit), [shell("true")])
            assert isinstance(until_event(engine), Closed)
            limit -= 1

        assert (before, engine.ahead) == (0, 4)


def test_who_waits_behind_another_has_not_begun(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        one, two = job(), job(number=1)
        engine.open(one, [shell(f"echo $$ > {tmp_path}/pid; exec sleep 60")])
        until_there(engine, tmp_path / "pid")
        engine.open(two, [shell("true")])

        assert engine.unbegun() == {two.executing[0].key}


@pytest.mark.parametrize("more", [{}, {"timeout_s": 60.0}], ids=["at a worker", "by the driver"])
def test_what_a_failed_task_has_left_running_is_ended_with_it(tmp_path: Path, more) -> None:
    with engine_alone(tmp_path) as engine:
        engine.open(job(), [shell(f"{leaving(tmp_path)}; exit 1", **more)])
        assert isinstance(until_event(engine), Broken)
        before = survivors(RUN_ID)
        engine.discard(0)

        assert (len(before), survivors(RUN_ID)) == (1, [])


def test_what_a_task_that_took_too_long_has_left_running_is_ended_with_it(tmp_path: Path) -> None:
    template = Template("leave", call=Call(leave), timeout_s=0.5)
    with engine_alone(tmp_path, templates={"leave": template}) as engine:
        left, _ = left_by_function(engine, tmp_path / "pids", template, True, False)
        before = survivors(RUN_ID)
        engine.abandon(0)

        assert (before, survivors(RUN_ID)) == ([left], [])


def test_what_a_function_has_left_running_is_ended_and_its_worker_goes_on(tmp_path: Path) -> None:
    template = Template("leave", call=Call(leave))
    with engine_alone(tmp_path, templates={"leave": template}) as engine:
        left, worker = left_by_function(engine, tmp_path / "pids", template, False, True)
        before = survivors(RUN_ID)
        engine.discard(0)
        after = survivors(RUN_ID)
        _, again = left_by_function(engine, tmp_path / "pids", template, False, True)
        engine.discard(0)

    assert (before, after, again) == ([left], [], worker)


def test_of_several_tasks_only_what_the_failed_one_has_left_is_ended(tmp_path: Path) -> None:
    with engine_alone(tmp_path, workers=2) as engine:
        engine.open(job(tmp_path, several=True), [])
        assert until_event(engine) == Opened(0)
        engine.execute(0, shell(f"echo $$ > {tmp_path}/pid; exec sleep 60"))
        other = until_there(engine, tmp_path / "pid")
        engine.execute(0, shell(f"{leaving(tmp_path)}; exit 1", task=1))

        assert until_event(engine) == Executed(0, 1, Verdict.FAILED, "It ended with exit code 1.")
        assert survivors(RUN_ID) == [other]


def test_what_the_user_stops_is_not_looked_for_one_by_one(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        engine.open(job(), [shell(f"{leaving(tmp_path)}; echo $$ > {tmp_path}/pid; sleep 60")])
        until_there(engine, tmp_path / "pid")
        engine.stop(0)
        until_event(engine)
        engine.discard(0)
        found = survivors(RUN_ID)

    assert found  # whoever has started the driver ends it
    assert end_survivors(RUN_ID) == []
