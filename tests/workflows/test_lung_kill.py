"""The lung workflow, killed in the middle of search and of training: it goes on to the same result."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.parts import need
from tests.running import Bench, bench_of
from tests.workflows.killing import finish, go_on, kill_when_there_is
from tests.workflows.lung.modules import FOLDER

need("torch", "optuna", "matplotlib")

import torch  # noqa: E402

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
    launcher = bench.start("run", *arguments(bench, name, "--placement", placement))
    kill_when_there_is(bench, launcher, bench.folder / name / "work" / "scratch", left)

    assert said in go_on(bench)
    assert made(bench, name) == undisturbed
