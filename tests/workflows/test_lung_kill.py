"""The lung workflow, killed in the middle of search and of training: it goes on to the same result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import need
from tests.running import Bench, bench_of
from tests.workflows.lung.modules import FOLDER

need("torch", "optuna", "matplotlib")

import torch  # noqa: E402

_LONGEST_S = 140
# Few pictures and many short epochs, so that a kill meets one of them.
_CHOSEN = ("limit=10", "epochs=6", "trials=2", "seed=7", "device=cpu")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        command = [sys.executable, str(FOLDER / "generate.py"), "--out", str(made.folder / "data")]
        subprocess.run(command, check=True, timeout=100, capture_output=True)
        yield made


@pytest.fixture(scope="module")
def undisturbed(bench: Bench) -> dict[str, bytes]:
    """What the workflow makes if nobody disturbs it."""
    finish(bench, "run", *arguments(bench, "undisturbed"))
    return made(bench, "undisturbed")


def arguments(bench: Bench, name: str, *more: str) -> list[str]:
    told = [text for each in (f"data={bench.folder / 'data'}", *_CHOSEN) for text in ("--set", each)]
    return [
        str(FOLDER),
        "--work",
        str(bench.folder / name / "work"),
        "--out",
        str(bench.folder / name),
        *told,
        *more,
    ]


def made(bench: Bench, name: str) -> dict[str, bytes]:
    """Return predicted masks, and the weights as bytes."""
    state = torch.load(bench.folder / name / "model.pth", weights_only=True)["state"]
    masks = {path.name: path.read_bytes() for path in (bench.folder / name / "predicted").iterdir()}
    return {**masks, **{key: value.numpy().tobytes() for key, value in state.items()}}


def finish(bench: Bench, *told: str) -> None:
    assert bench.start(*told).wait(_LONGEST_S) == 0, (bench.folder / "said").read_text()


def kill_when_there_is(bench: Bench, launcher: subprocess.Popen[bytes], work: Path, name: str) -> None:
    """Kill the driver and all that it has started, once an attempt has left a file of some name."""
    limit = time.monotonic() + _LONGEST_S
    while not any(name in files for _, _, files in os.walk(work / "scratch")):
        assert launcher.poll() is None, (bench.folder / "said").read_text()
        assert time.monotonic() < limit
        time.sleep(0.002)
    for pid in (launcher.pid, *bench.processes()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has just ended
    launcher.wait(_LONGEST_S)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("placement", "left", "said"),
    [
        ("links", "checkpoint_hpo.pth", "going on with rate"),
        ("baseline", "unfinished_train.pth", "going on after"),
        ("clustering", "unfinished_train.pth", "going on after"),
    ],
)
def test_a_killed_run_ends_with_the_same_result(bench, undisturbed, placement, left, said):
    name = f"{placement}-killed"
    given = arguments(bench, name, "--placement", placement)
    launcher = bench.start("run", *given)
    kill_when_there_is(bench, launcher, bench.folder / name / "work", left)

    number = bench.runs()[-1].name.rpartition("-")[2]
    finish(bench, "run", "--resume", number)

    assert made(bench, name) == undisturbed
    printed = "".join(path.read_text() for path in (bench.runs()[-1] / "output").rglob("*") if path.is_file())
    assert said in printed
