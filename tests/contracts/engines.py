"""What every engine must do; a test class of an engine inherits all of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import pytest

from longpole.model.staging import Item, Moved
from longpole.model.workflow import Template
from longpole.run.engines.opened import OpenJob
from longpole.run.engines.port import Engine
from longpole.run.messages import Broken, Closed, Event, Executed, Opened, Verdict
from longpole.run.orders import Output, TaskOrder

_LONGEST_S = 30.0
Kind = TypeVar("Kind", Opened, Executed, Closed, Broken)


def order(task: int, command: str, *outputs: str, timeout_s: float | None = None) -> TaskOrder:
    """Return the order for a shell command that makes these files."""
    made = TaskOrder(task, f"task {task}", Template(f"t{task}", command, timeout_s=timeout_s))
    made.arguments, made.command = ("/bin/sh", "-ec", command), command
    made.outputs = tuple(Output(name) for name in outputs)
    return made


class EngineContract:
    """The promises of ``run.engines.port.Engine``."""

    def make(self, folder: Path) -> AbstractContextManager[Engine]:
        """Return an engine that keeps files in ``folder/kept`` and works in ``folder/scratch``."""
        raise NotImplementedError

    @pytest.fixture
    def engine(self, tmp_path: Path) -> Iterator[Engine]:
        (tmp_path / "kept").mkdir()
        with self.make(tmp_path) as made:
            yield made

    @pytest.fixture
    def job(self, tmp_path: Path) -> Callable[..., OpenJob]:
        def make(number: int, *, several: bool = False) -> OpenJob:
            folder = str(tmp_path / "scratch" / f"{number}.1")
            return OpenJob(
                number, number + 1, 1, folder, True, several, lambda _: True, lambda task: task + 1
            )

        return make

    def test_a_task_is_executed_and_what_it_made_is_in_its_place(self, engine, job, tmp_path):
        engine.open(job(0), [order(0, "echo made > out.txt", "out.txt")])
        closed = self.event(engine, Closed)

        (made,) = closed.made[0]
        kinds = [part.kind for part in engine.take_parts(0)]
        engine.forget(0)
        assert (tmp_path / "kept" / "out.txt").read_text() == "made\n"
        assert (made.name, made.size_bytes, bool(made.checksum)) == ("out.txt", 5, True)
        assert "exec" in kinds
        assert engine.job(0) is None

    @pytest.mark.parametrize(
        ("command", "cause"),
        [
            ("exit 3", "exit code 3"),
            ("kill -9 $$", "SIGKILL"),
            ("true", "did not make 'out.txt'"),
            ("no-such-command", "was not found"),
        ],
    )
    def test_a_task_that_fails_is_told_of_with_its_cause(self, engine, job, tmp_path, command, cause):
        engine.open(job(0), [order(0, command, "out.txt")])

        broken = self.event(engine, Broken)

        engine.discard(0)
        assert broken.verdict is Verdict.FAILED
        assert cause in broken.cause
        assert not list((tmp_path / "kept").iterdir())

    def test_tasks_of_one_job_share_a_folder(self, engine, job, tmp_path):
        engine.open(job(0, several=True), [order(0, "echo 1 > a", "a"), order(1, "cat a a > b", "b")])
        self.event(engine, Opened)
        engine.execute(0, order(0, "echo 1 > a", "a"))
        first = self.event(engine, Executed)
        engine.execute(0, order(1, "cat a a > b", "b"))
        self.event(engine, Executed)
        engine.finish(0)
        closed = self.event(engine, Closed)

        assert first.made == ("a",)
        assert [made.name for some in closed.made.values() for made in some] == ["a", "b"]
        assert (tmp_path / "kept" / "b").read_text() == "1\n1\n"

    def test_a_task_is_stopped_when_it_is_asked_to(self, engine, job):
        engine.open(job(0), [order(0, "sleep 60")])
        engine.wait(0.2)
        engine.stop(0)

        assert self.event(engine, Broken).verdict is Verdict.STOPPED

    def test_a_task_that_takes_too_long_is_ended(self, engine, job):
        engine.open(job(0), [order(0, "sleep 60", timeout_s=0.2)])

        assert self.event(engine, Broken).verdict is Verdict.TIMED_OUT

    def test_files_are_delivered_to_a_folder(self, engine, tmp_path):
        (tmp_path / "kept" / "a").write_text("x")
        heard: list[tuple[str, Moved]] = []

        engine.deliver(
            [Item("a", str(tmp_path / "kept" / "a"))], str(tmp_path / "out"), lambda *said: heard.append(said)
        )
        engine.deliver(
            [Item("b", str(tmp_path / "kept" / "b"))], str(tmp_path / "out"), lambda *said: heard.append(said)
        )

        self.until(engine, lambda: len(heard) == 2)
        causes = {cause for cause, _ in heard}
        assert (tmp_path / "out" / "a").read_text() == "x"
        assert "" in causes
        assert any("'b'" in cause for cause in causes)

    def event(self, engine: Engine, kind: type[Kind]) -> Kind:
        """Wait for the next event, which must be of a kind."""
        found: list[Event] = []
        self.until(engine, lambda: bool(found), found)
        first = found[0]
        assert isinstance(first, kind), found
        return first

    @staticmethod
    def until(engine: Engine, is_so: Callable[[], bool], found: list[Event] | None = None) -> None:
        limit = time.monotonic() + _LONGEST_S
        while not is_so():
            assert time.monotonic() < limit
            events = engine.wait(0.05)
            if found is not None:
                found += events
