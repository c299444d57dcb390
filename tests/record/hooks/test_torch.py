"""PyTorch under recording: every step is there, its parts are its time, and the program cannot tell."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from longpole.app.overview import overview_of
from longpole.store.run import StoredRun
from tests.parts import need
from tests.record.hooks.both_ways import PROGRAMS, Setting, run, same
from tests.recording import Someone, somebody

TRAIN = str(PROGRAMS / "torch_train.py")
_PARTS = """
    SELECT step.duration_ns AS step_ns, sum(part.duration_ns) AS parts_ns,
        sum(part.duration_ns) FILTER (part.kind = 'data') AS data_ns, count(*) AS parts
    FROM phases step JOIN phases part ON part.parent = step.id
    WHERE step.kind = 'step' AND step.count = 1 GROUP BY step.id, step.duration_ns
"""


@pytest.fixture(autouse=True, scope="module")
def _torch() -> None:
    need("torch")


@dataclass(frozen=True, slots=True)
class Training:
    """A training that was recorded: 20 steps an epoch, and 20 of inference at the end."""

    run: StoredRun
    model: Path
    slept_s: float

    def count(self, kind: str) -> int:
        """Return how many phases of a kind there were, those only counted included."""
        return int(self.rows(f"SELECT sum(count) FROM phases WHERE kind = '{kind}'")[0][0] or 0)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the answer to a query."""
        return [tuple(row.values()) for row in self.run.query(query).records()]


Trains = Callable[..., Training]


@pytest.fixture(scope="module")
def train() -> Iterator[Trains]:
    """Give a function that records a training, and each kind of training only once."""
    with somebody(nobody=False) as user:
        yield cache(lambda detail, epochs, width, sleep_s=0.0: _train(user, detail, epochs, width, sleep_s))


def _train(user: Someone, detail: str, epochs: int, width: int, sleep_s: float) -> Training:
    model = user.runs.parent / f"{detail}-{width}.pt"
    arguments = [str(epochs), str(width), str(sleep_s), str(model)]
    done = user.record(user.python, TRAIN, *arguments, options=["--detail", detail])
    assert done.returncode == 0, done.stderr
    steps, slept_s = done.stdout.split()
    assert int(steps) == 20 * epochs
    return Training(user.latest(), model, float(slept_s))


@pytest.mark.parametrize("detail", ["low", "auto", "high"])
def test_number_of_steps_is_exact(train: Trains, detail: str) -> None:
    training = train(detail, 15, 8)

    assert (training.count("step"), training.count("inference")) == (300, 20)


@pytest.mark.parametrize("detail", ["low", "high"])
def test_number_of_steps_is_exact_whatever_the_loop(user: Someone, detail: str) -> None:
    done = user.record(user.python, str(PROGRAMS / "torch_loops.py"), options=["--detail", detail])

    assert done.returncode == 0, done.stderr
    steps, inferences = map(int, done.stdout.split())
    loops = Training(user.latest(), Path(), 0.0)
    assert loops.count("step") == steps
    assert inferences <= loops.count("inference") <= inferences + 100  # some may be those between steps
    assert loops.run.recording.hooks_given_up == ()
    ((longest,),) = loops.rows("SELECT max(duration_ns) FROM phases WHERE kind = 'data'")
    assert longest < 60e9


def test_number_of_steps_is_exact_while_parts_are_not_looked_at(user: Someone) -> None:
    done = user.record(user.python, str(PROGRAMS / "torch_light.py"))

    assert done.returncode == 0, done.stderr
    steps, inferences, aside, aside_later = map(int, done.stdout.split())
    loops = Training(user.latest(), Path(), 0.0)
    assert (loops.count("step"), loops.count("inference")) == (steps, inferences)
    assert aside > 100  # of 300 alike
    assert aside_later < 30  # until it was seen that they are no longer
    assert loops.run.recording.hooks_given_up == ()
    ((parts, waits),) = loops.rows(
        "SELECT count(*) FILTER (kind = 'optimizer'), count(*) FILTER (kind = 'data') FROM phases"
    )
    assert parts < steps - 100
    assert waits >= 550  # of 150 batches, four times


@pytest.mark.parametrize("detail", ["low", "auto"])
def test_odd_programs_are_counted_and_left_alone_while_hooks_look_at_less(user: Someone, detail: str) -> None:
    done = user.record(user.python, str(PROGRAMS / "torch_odd.py"), options=["--detail", detail])

    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    loops = Training(user.latest(), Path(), 0.0)
    assert loops.count("step") == made["steps"]
    replaced = 1500 + 1201 + 2  # at the end, some of them no calls of PyTorch's
    assert made["inferences"] <= loops.count("inference") <= made["inferences"] + replaced
    assert loops.run.recording.hooks_given_up == ()


@pytest.mark.parametrize("detail", ["low", "auto", "high"])
def test_epochs_tell_which_model_was_trained_how_large_it_is_and_with_which_batches(
    train: Trains, detail: str
) -> None:
    training = train(detail, 15, 8)

    told = [json.loads(row[0]) for row in training.rows("SELECT attributes FROM phases WHERE kind = 'epoch'")]

    assert len(told) == 15
    layers = 8 * 8 + 8 + 8 * 2 + 2
    named = {"model": "Sequential", "parameters": layers, "model_bytes": 4 * layers, "batch_size": 1}
    assert all(facts.items() >= named.items() for facts in told[1:])


def test_short_inference_is_counted_by_its_batches_with_hardly_a_look(user: Someone) -> None:
    done = user.record(user.python, str(PROGRAMS / "torch_infer.py"))

    assert done.returncode == 0, done.stderr
    steps, batches, looked_at, looked_into = map(float, done.stdout.split())
    loops = Training(user.latest(), Path(), 0.0)
    assert (loops.count("inference"), loops.count("batch")) == (steps, batches)
    assert looked_at < 0.1
    assert looked_into < 0.02  # all modules are looked at now and then, for a few calls
    assert loops.run.recording.hooks_given_up == ()


def test_low_detail_keeps_few_steps_in_full(train: Trains) -> None:
    training = train("low", 15, 8)

    ((full,),) = training.rows("SELECT count(*) FROM phases WHERE kind = 'step' AND count = 1")
    assert 0 < full < 100


def test_every_step_of_two_milliseconds_is_a_phase(train: Trains) -> None:
    training = train("auto", 3, 1024)

    rows = training.rows("SELECT count, duration_ns FROM phases WHERE kind = 'step'")
    assert [number for number, _ in rows] == [1] * 60
    assert sum(took for _, took in rows) / 60 > 2e6


def test_parts_sum_up_to_long_steps(train: Trains) -> None:
    training = train("auto", 3, 1024)

    steps = [row for row in training.rows(_PARTS) if row[0] >= 5_000_000 and row[3] == 4]
    together, parts = sum(row[0] for row in steps), sum(row[1] for row in steps)
    assert len(steps) >= 20  # the others may be noted with their wait alone
    assert together * 0.97 <= parts <= together
    training_steps = overview_of(training.run).steps[0]
    shown = [seconds or 0.0 for part, seconds in training_steps.parts.items() if part != "other"]
    assert (training_steps.count, training_steps.kind) == (60, "training")
    assert 0.97 <= sum(shown) / (training_steps.total_s or 0.0) <= 1.0


def test_wait_for_a_slow_loader_is_found(train: Trains) -> None:
    training = train("auto", 3, 16, 0.02)

    waits_s = [row[2] / 1e9 for row in training.rows(_PARTS)]
    assert training.slept_s >= 60 * 0.02
    assert sum(waits_s) >= training.slept_s
    assert statistics.median(waits_s) <= 1.05 * training.slept_s / 60


def test_epochs_are_phases_that_hold_their_steps(train: Trains) -> None:
    training = train("high", 15, 8)

    epochs = training.rows(
        "SELECT kind, attributes->>'$.steps', count(*) FROM phases"
        " WHERE kind IN ('epoch', 'evaluation') GROUP BY ALL ORDER BY 1"
    )
    inside = training.rows(
        "SELECT count(*) FROM phases step JOIN phases epoch ON step.parent = epoch.id"
        " WHERE step.kind = 'step' AND epoch.kind = 'epoch'"
        " AND step.start_ns >= epoch.start_ns AND step.end_ns <= epoch.end_ns"
    )
    assert epochs == [("epoch", "20", 15), ("evaluation", "0", 1)]
    assert inside == [(300,)]


def test_checkpoints_are_phases_with_their_bytes(train: Trains) -> None:
    training = train("high", 15, 8)

    saved = training.rows(
        "SELECT name, attributes->>'$.bytes' FROM phases WHERE kind = 'checkpoint' ORDER BY 1"
    )
    size = str(training.model.stat().st_size)
    assert saved == [("load", size), ("save", size)]


def test_results_are_the_same_as_without_recording(user: Someone, tmp_path: Path) -> None:
    said = same(user, [user.python, "-W", "always", str(PROGRAMS / "torch_results.py")], Setting(tmp_path))

    assert said.code == 0, said.err
    assert "from forward" in said.err


@pytest.mark.parametrize("where", ["data", "model", "backward", "optimizer", "checkpoint"])
def test_failure_looks_the_same_as_without_recording(user: Someone, tmp_path: Path, where: str) -> None:
    said = same(user, [user.python, str(PROGRAMS / "torch_failing.py"), where], Setting(tmp_path))

    assert said.code == 1
    assert "Traceback" in said.err


@pytest.mark.parametrize(
    "stub",
    ["", "import missing_part", "class nn: pass", "optim = autograd = nn = utils = None"],
    ids=["empty", "half-installed", "changed", "hollow"],
)
def test_strange_torch_is_left_alone_and_the_run_says_so(user: Someone, tmp_path: Path, stub: str) -> None:
    (tmp_path / "torch.py").write_text(stub)
    program = tmp_path / "program.py"
    program.write_text("try:\n    import torch\nexcept ImportError as error: print(error)\nprint('done')")
    setting = Setting(tmp_path)

    assert same(user, [user.python, str(program)], setting) == run(user, [user.python, str(program)], setting)
    given_up = [failure.hook for failure in user.latest().recording.hooks_given_up]
    assert given_up == ([] if "missing" in stub else ["torch"])
