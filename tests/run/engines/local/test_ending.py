"""Ending tasks, with the engine alone: whoever does not end when asked to is killed after a while."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longpole.model.workflow import Call, Resources, Template
from longpole.run.engines.local.engine import LocalEngine
from longpole.run.messages import Broken, Closed, Verdict
from longpole.run.orders import TaskOrder
from tests.run.engines.local.alone import job, settings, shell, until_event, until_there

STUBBORN = "trap '' TERM; echo $$ > {pid}; while true; do sleep 0.05; done"


def sleeps(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    engines: list[LocalEngine] = []

    def made() -> LocalEngine:
        functions = {"call": Template("call", call=Call(sleeps))}
        engines.append(LocalEngine(settings(tmp_path, templates=functions)))
        return engines[-1]

    before = os.getcwd()
    made.engines = engines  # type: ignore[attr-defined]
    yield made
    for engine in engines:
        engine.close()
    os.chdir(before)


def opened(engine: LocalEngine, order: TaskOrder, number: int = 0) -> None:
    engine.open(job(number=number), [order])


def test_a_task_that_is_late_and_does_not_end_is_killed(make, tmp_path: Path):
    engine = make()
    opened(engine, shell(STUBBORN.format(pid=tmp_path / "pid"), timeout_s=0.3))

    event = until_event(engine)

    assert isinstance(event, Broken)
    assert (event.verdict, event.cause) == (Verdict.TIMED_OUT, "It took longer than its timeout of 0.3 s.")
    assert not Path(f"/proc/{int((tmp_path / 'pid').read_text())}").exists()


@pytest.mark.parametrize("more", [{"timeout_s": 60.0}, {}], ids=["by the driver", "at a worker"])
def test_a_task_that_is_stopped_and_does_not_end_is_killed(make, tmp_path: Path, more):
    engine = make()
    opened(engine, shell(STUBBORN.format(pid=tmp_path / "pid"), **more))
    pid = until_there(engine, tmp_path / "pid")
    engine.stop(0)

    event = until_event(engine)

    assert isinstance(event, Broken)
    assert event.verdict is Verdict.STOPPED
    assert not _lives(pid)


def test_a_function_that_is_killed_ends_with_its_worker_and_the_next_has_another(make, tmp_path: Path):
    engine = make()
    template = Template("call", call=Call(sleeps))
    opened(engine, TaskOrder(0, "call", template, call=((str(tmp_path / "pid"),), {})))
    until_there(engine, tmp_path / "pid")
    engine.kill(0)
    event = until_event(engine)
    engine.discard(0)
    opened(engine, shell("true"), number=1)

    assert isinstance(event, Broken)
    assert event.verdict is Verdict.STOPPED
    assert isinstance(until_event(engine), Closed)


def test_memory_is_watched_where_the_kernel_does_not(make):
    engine = make()
    hold = "exec python3 -c 'import time; x = bytearray(120_000_000); time.sleep(30)'"
    opened(engine, shell(hold, resources=Resources(memory_bytes=60_000_000)))

    event = until_event(engine)

    assert isinstance(event, Broken)
    assert event.verdict is Verdict.OUT_OF_MEMORY
    assert "may use 60" in event.cause


def test_an_engine_that_is_closed_leaves_nothing_running(make, tmp_path: Path):
    engine = make()
    make.engines.remove(engine)
    opened(engine, shell(f"echo $$ > {tmp_path}/one; exec sleep 60"))
    opened(engine, shell(f"echo $$ > {tmp_path}/two; exec sleep 60", timeout_s=60.0), number=1)
    pids = [until_there(engine, tmp_path / name) for name in ("one", "two")]
    engine.close()

    limit = time.monotonic() + 30
    while any(_lives(pid) for pid in pids):
        assert time.monotonic() < limit
        time.sleep(0.01)


def _lives(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
