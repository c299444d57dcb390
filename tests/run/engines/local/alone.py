"""The local engine alone: what it is told comes from a test, and no driver is there."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longpole.model.workflow import Template
from longpole.run.containers.runtimes import choose
from longpole.run.engines.local.engine import LocalEngine
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.opened import OpenJob
from longpole.run.memory.watched import Watch
from longpole.run.messages import Event
from longpole.run.orders import Output, TaskOrder
from longpole.run.staging.checksums import Checksums, digest_for
from longpole.run.staging.link import LinkWay

# Others may test on this machine as well: what jobs leave running is found by the id of their run.
RUN_ID = secrets.token_hex(4)


def settings(folder: Path, **more) -> Settings:
    """Return settings by which files are linked, in folders of their own."""
    (folder / "kept").mkdir(exist_ok=True)
    return Settings(
        **{
            "run_id": RUN_ID,
            "scratch": str(folder / "scratch"),
            "output": str(folder / "output"),
            "environment": dict(os.environ),
            "templates": {},
            "kept": str(folder / "kept"),
            "digest": digest_for(Checksums.ON),
            "way": lambda _: LinkWay(),
            "runtime": choose,
            "limits": Watch(50_000_000),
            "grace_ns": 200_000_000,
            **more,
        }
    )


@contextmanager
def engine_alone(folder: Path, **more) -> Iterator[LocalEngine]:
    """Have an engine."""
    before = os.getcwd()
    engine = LocalEngine(settings(folder, **more))
    try:
        yield engine
    finally:
        engine.close()
        os.chdir(before)


def job(folder: Path | None = None, *, number: int = 0, several: bool = False) -> OpenJob:
    """Return a job; with a folder for its own folders, it has one."""
    own = "" if folder is None else str(folder / "scratch" / f"{number}.1")
    return OpenJob(number, number + 1, 1, own, bool(own), several, lambda _: True, lambda task: task + 1)


def shell(command: str, *outputs: str, task: int = 0, **more) -> TaskOrder:
    """Return the order for a shell command that makes these files."""
    template = Template("t", command=command, **more)
    arguments = ("/bin/sh", "-c", command)
    order = TaskOrder(task, f"t {task}", template, arguments, command=command)
    order.memory_bytes = template.resources.memory_bytes
    order.outputs = tuple(Output(name) for name in outputs)
    order.checkpoints = template.checkpoints
    return order


def until_event(engine: LocalEngine) -> Event:
    """Return the next event."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        for event in engine.wait(0.1):
            return event
    raise AssertionError("nothing has happened")


def until_there(engine: LocalEngine, path: Path) -> int:
    """Return the pid that a task writes into a file; nothing else may happen before."""
    limit = time.monotonic() + 60
    while not path.exists() or not path.read_text():
        assert not engine.wait(0.02)
        assert time.monotonic() < limit
    return int(path.read_text())


def until_gone(engine: LocalEngine, folder: Path) -> None:
    """Let whoever removes a folder do so."""
    limit = time.monotonic() + 60
    while folder.exists():
        assert time.monotonic() < limit
        engine.wait(0.05)
