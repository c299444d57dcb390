"""Plain jobs at workers: what they leave, and what is not as plain as it seemed."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from longpole.model.staging import Item
from longpole.run.engines.local.outputs import Outputs
from longpole.run.messages import Broken, Closed, Verdict
from tests.run.engines.local.alone import engine_alone, job, shell, until_event, until_gone, until_there

LARGE = 3_000_000


def test_what_is_small_is_put_in_its_place_by_the_worker_and_the_folder_is_gone(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        opened = job(tmp_path)
        engine.open(opened, [shell("echo made > out; touch left-behind", "out")])

        event = until_event(engine)
        until_gone(engine, tmp_path / "scratch" / "0.1")

    assert isinstance(event, Closed)
    assert [each.name for each in event.made[0]] == ["out"]
    assert opened.ended_ns > opened.began_ns > 0
    assert (tmp_path / "kept" / "out").read_text() == "made\n"


def test_a_large_output_is_put_in_its_place_by_the_engine(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        opened = job(tmp_path)
        engine.open(opened, [shell(f"head -c {LARGE} /dev/zero > out", "out")])

        event = until_event(engine)

    assert isinstance(event, Closed)
    assert [(each.name, each.size_bytes) for each in event.made[0]] == [("out", LARGE)]
    assert opened.ended_ns == 0  # the worker did not do all of it
    assert [part.kind for part in opened.parts] == ["stage_in", "exec", "stage_out"]


def test_an_input_that_is_not_there_is_told_by_who_takes_more_care(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        order = shell(f"touch {tmp_path}/began", "out")
        order.inputs = (Item("in", str(tmp_path / "nowhere")),)
        engine.open(job(tmp_path), [order])

        event = until_event(engine)

    assert isinstance(event, Broken)
    assert "nowhere" in event.cause
    assert not (tmp_path / "began").exists()


def test_a_worker_that_dies_fails_its_job_alone(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        engine.open(job(), [shell(f"echo before; echo $PPID > {tmp_path}/worker; exec sleep 60")])
        os.kill(until_there(engine, tmp_path / "worker"), signal.SIGKILL)
        first, printed = until_event(engine), engine.job(0)
        engine.discard(0)
        engine.open(job(number=1), [shell("true")])
        second = until_event(engine)

    assert first == Broken(0, Verdict.FAILED, "The worker process that executed it has died.")
    assert isinstance(second, Closed)
    assert printed is not None
    assert Path(printed.outputs[0]).read_text() == "before\n"


def test_a_job_that_could_print_nowhere_fails_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Outputs) -> tuple[int, str]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Outputs, "take", refuse)  # workers are forked from here
    with engine_alone(tmp_path) as engine:
        engine.open(job(), [shell("true")])

        event = until_event(engine)

    assert event == Broken(0, Verdict.FAILED, "It could not be started: No space left on device.")
