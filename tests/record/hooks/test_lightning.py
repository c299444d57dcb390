"""Lightning: phases of a trainer, as many steps as it counts itself; and the program cannot tell."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from longpole.store.run import open_run
from tests.parts import need
from tests.record.hooks.both_ways import PROGRAMS, Setting, run, same
from tests.record.hooks.in_full import count_steps, run_in_full
from tests.record.hooks.twice import Row, looking_in
from tests.recording import Someone


@pytest.fixture(autouse=True, scope="module")
def _lightning() -> None:
    need("lightning", "torch")


@dataclass(frozen=True, slots=True)
class Work:
    """A training in one way: how many steps Lightning has counted, and the phases."""

    global_step: int
    rows: list[Row]

    def of(self, kind: str, above: str = "") -> list[Row]:
        """Return the phases of a kind, right within others if need be."""
        return [row for row in self.rows if row["kind"] == kind and above in ("", row["above"])]


Works = dict[str, Work]


@pytest.fixture(scope="module")
def works() -> Works:
    """Trainings in several ways."""
    return _train("lightning.pytorch", "plain", "accumulate", "often", "stream", "manual", "lbfgs", "slow")


def _train(library: str, *ways: str) -> Works:
    """Train bare and recorded: losses, random numbers, output and checkpoints are the same."""
    twice = run_in_full("lightning_work.py", library, *ways)
    assert twice.bare.code == 0, twice.bare.err
    assert twice.recorded == twice.bare
    said, rows = twice.bare, twice.rows
    counted = [line.split()[1:] for line in said.out.splitlines() if line.startswith("way ")]
    begins = [row["start_ns"] for row in rows if row["kind"] == "fit"] + [sys.maxsize]
    return {
        way: Work(int(steps), [row for row in rows if begin <= row["start_ns"] < end])
        for (way, steps), begin, end in zip(counted, begins[:-1], begins[1:], strict=True)
    }


@pytest.mark.parametrize("way", ["plain", "accumulate", "often", "stream", "manual", "lbfgs"])
def test_steps_are_those_that_lightning_counts(works: Works, way: str) -> None:
    done = works[way]

    assert len(done.of("step")) == done.global_step > 0
    assert {row["above_kind"] for row in done.of("step")} == {"epoch"}


def test_the_other_name_of_the_library_is_seen_as_well() -> None:
    done = _train("pytorch_lightning", "often")["often"]

    assert len(done.of("step")) == done.global_step == 10


def test_runs_of_a_trainer_are_phases(works: Works) -> None:
    runs = {row["name"]: (row["kind"], row["attributes"]) for row in works["plain"].rows}

    assert {name: kind for name, (kind, _) in runs.items() if name.startswith("Trainer")} == {
        "Trainer.fit": "fit",
        "Trainer.validate": "validation",
        "Trainer.test": "test",
        "Trainer.predict": "predict",
    }
    assert json.loads(runs["Trainer.fit"][1]) == {"model": "Small", "epochs": 2}


def test_epochs_tell_their_steps_and_loops_over_loaders_are_none(works: Works) -> None:
    epochs = [row for row in works["often"].rows if row["kind"] in ("epoch", "evaluation")]

    assert [json.loads(row["attributes"]) for row in epochs] == [
        {"number": 1, "steps": 5},
        {"number": 2, "steps": 5},
    ]
    assert {row["above"] for row in epochs} == {"Trainer.fit"}


@pytest.mark.parametrize("way", ["plain", "accumulate", "often"])
def test_validation_is_inference_and_never_training(works: Works, way: str) -> None:
    done = works[way]
    validations = {"plain": 2, "accumulate": 2, "often": 4}[way]

    assert [row["above_kind"] for row in done.of("validation", "epoch")] == ["epoch"] * validations
    assert len(done.of("inference", "validation")) == 5 * validations
    assert len(done.of("inference", "sanity check")) == 2
    assert not done.of("step", "validation")


def test_steps_of_the_other_runs_are_inference(works: Works) -> None:
    done = works["plain"]

    for name in ("Trainer.validate", "Trainer.test", "Trainer.predict"):
        assert Counter(row["kind"] for row in done.rows if row["above"] == name) == {"inference": 5}


def test_closure_is_in_forward_and_backward_and_not_in_the_optimizer(works: Works) -> None:
    done = works["slow"]

    for step in done.of("step"):
        parts = [row for row in done.rows if row["parent"] == step["id"]]
        took = {row["kind"]: row["duration_ns"] for row in parts}
        assert [row["kind"] for row in parts] == ["data", "forward", "backward", "optimizer"]
        assert took["forward"] >= 10_000_000
        assert sum(took.values()) <= step["duration_ns"]


def test_accumulated_gradients_belong_to_one_step(works: Works) -> None:
    done = works["accumulate"]

    backwards = Counter(row["parent"] for row in done.of("backward"))
    assert [backwards[step["id"]] for step in done.of("step")] == [2, 2, 1] * 2


def test_number_of_steps_is_exact_where_they_are_only_counted(user: Someone) -> None:
    counts = count_steps(user, "lightning_work.py", "lightning.pytorch", *["often"] * 8)

    assert (counts["step"], counts["epoch"], counts["inference"]) == (80, 16, 8 * 22)


def test_failing_programs_say_the_same() -> None:
    twice = run_in_full("lightning_failing.py")

    assert twice.bare.err.count("as meant") >= 8
    assert twice.recorded == twice.bare
    assert {row["status"] for row in twice.rows if row["kind"] in ("fit", "test")} == {"failed"}
    assert len([row for row in twice.rows if row["kind"] == "step"]) == 2  # of the fit that fails after them


def test_lightning_that_is_loaded_already_is_recorded_and_left_as_it_was(
    user: Someone, tmp_path: Path
) -> None:
    said = run(user, [user.python, str(PROGRAMS / "lightning_applied.py"), str(user.runs)], Setting(tmp_path))

    assert (said.code, said.out.split()) == (0, ["False", "True"] * 2), said.err
    counts = "SELECT kind, sum(count)::BIGINT AS n FROM phases WHERE kind IN ('step', 'epoch') GROUP BY kind"
    runs = [open_run(path).query(counts).records() for path in user.runs.iterdir()]
    assert [{row["kind"]: row["n"] for row in rows} for rows in runs] == [{"epoch": 2, "step": 6}] * 2


LESS = "class Trainer:\n    def fit(self): return 'fitted'\n"
RENAMED = """
import lightning.pytorch.loops
class Trainer:
    def fit(self): return "fitted"
    validate = test = predict = fit
"""


@pytest.mark.parametrize("library", [LESS, RENAMED])
def test_lightning_that_has_changed_is_left_alone_and_said(
    user: Someone, tmp_path: Path, library: str
) -> None:
    package = tmp_path / "lightning" / "pytorch"
    (package / "loops").mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").write_text(library)
    (package / "loops" / "__init__.py").write_text("class FitLoop: pass")
    program = "import lightning.pytorch as pl; print(pl.Trainer().fit(), pl.Trainer.fit.__code__.co_filename)"

    said = same(user, [user.python, "-c", program], Setting(tmp_path, looking_in(user, tmp_path)))

    assert "fitted" in said.out
    assert [failure.hook for failure in user.latest().recording.hooks_given_up] == ["lightning"]
