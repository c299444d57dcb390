"""Workers: how many tasks they take, and what is told of those that wait."""

from __future__ import annotations

from pathlib import Path

from longpole.run.messages import Closed
from tests.run.engines.local.alone import engine_alone, job, shell, until_event, until_there


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
