"""Closing jobs: what stays of one that failed, and what goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.run.engines.local.engine import LocalEngine
from longpole.run.messages import Broken, Closed, Opened
from tests.run.engines.local.alone import engine_alone, job, shell, until_event, until_gone


def failed(engine: LocalEngine, folder: Path) -> Path:
    """Let a job with a checkpoint fail; return its folder."""
    command = "echo half > state; echo rest > other; exit 1"
    engine.open(job(folder), [shell(command, "out", checkpoints=("state",))])
    assert isinstance(until_event(engine), Broken)
    return folder / "scratch" / "0.1"


def test_of_a_job_that_was_discarded_the_checkpoint_alone_stays(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        folder = failed(engine, tmp_path)
        engine.discard(0)
        until_gone(engine, folder)

        assert engine.job(0) is None

    assert (tmp_path / "kept" / "state").read_text() == "half\n"


def test_of_a_job_that_was_abandoned_the_folder_stays_too(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        folder = failed(engine, tmp_path)
        engine.abandon(0)

        assert engine.job(0) is None

    assert (folder / "other").read_text() == "rest\n"
    assert (tmp_path / "kept" / "state").read_text() == "half\n"


def test_what_nobody_outside_wants_is_told_but_not_kept(tmp_path: Path) -> None:
    with engine_alone(tmp_path) as engine:
        opened = job(tmp_path, several=True)
        opened.wanted = lambda name: name == "b"
        engine.open(opened, [])
        assert until_event(engine) == Opened(0)
        engine.execute(0, shell("echo 1 > a; echo 2 > b", "a", "b"))
        until_event(engine)
        engine.finish(0)

        event = until_event(engine)

    assert isinstance(event, Closed)
    assert [(each.name, each.size_bytes) for each in event.made[0]] == [("a", -1), ("b", 2)]
    assert not (tmp_path / "kept" / "a").exists()


@pytest.mark.parametrize("more", [{}, {"timeout_s": 60.0}], ids=["at a worker", "by the driver"])
def test_an_output_that_was_not_made_breaks_the_job(tmp_path: Path, more) -> None:
    with engine_alone(tmp_path) as engine:
        engine.open(job(tmp_path), [shell("true", "never", **more)])

        event = until_event(engine)

    assert isinstance(event, Broken)
    assert event.cause == "It ended well, but did not make 'never', which it declares as an output."
