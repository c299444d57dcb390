"""Keras: every batch is a step, in an epoch, in a fit; and the program cannot tell."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from longpole.store.run import open_run
from tests.parts import need
from tests.record.hooks.both_ways import PROGRAMS, Setting, run, same
from tests.record.hooks.in_full import count_steps, run_in_full
from tests.record.hooks.twice import Row, Twice, looking_in
from tests.recording import Someone


@pytest.fixture(scope="module")
def work() -> Twice:
    """What a program that trains in several ways says, bare and recorded, and its phases."""
    need("keras", "torch")
    return run_in_full("keras_work.py")


def below(work: Twice, name: str) -> Counter[str]:
    """Return how many phases of each kind are right within those of a name."""
    return Counter({row["kind"]: 0 for row in work.rows}) + Counter(
        row["kind"] for row in work.rows if row["above"] == name
    )


def inside(work: Twice, kind: str, fit: str) -> list[Row]:
    """Return the phases of a kind that are in the epochs of a fit."""
    (within,) = [row["id"] for row in work.rows if row["name"] == fit]
    return [row for row in work.rows if row["kind"] == kind and row["beyond"] == within]


def facts(row: Row) -> dict[str, object]:
    found: dict[str, object] = json.loads(row["attributes"] or "{}")
    return found


def test_results_warnings_and_random_numbers_are_the_same_to_the_last_bit(work: Twice) -> None:
    assert work.bare.code == 0, work.bare.err
    assert work.recorded == work.bare


@pytest.mark.parametrize(
    ("fit", "steps"),
    [
        ("Sequential.fit", 12),  # 3 epochs of 4 batches, with validation
        ("Unbuilt.fit", 10),  # 2 epochs of a DataLoader of PyTorch, gradients accumulated by the optimizer
        ("Twofold.fit", 5),  # 2 optimizers in each batch; stopped after the first of 5 epochs
    ],
)
def test_every_batch_of_training_is_one_step(work: Twice, fit: str, steps: int) -> None:
    found = inside(work, "step", fit)

    assert [row["count"] for row in found] == [1] * steps
    assert {row["above_kind"] for row in found} == {"epoch"}


def test_step_has_its_parts_once_or_as_often_as_they_came(work: Twice) -> None:
    parts = Counter(
        (row["parent"], row["kind"])
        for row in work.rows
        if row["above_kind"] == "step" and row["kind"] != "data"
    )

    for fit, times in (("Sequential.fit", 1), ("Unbuilt.fit", 1), ("Twofold.fit", 2)):
        for step in inside(work, "step", fit):
            counts = [parts[step["id"], kind] for kind in ("forward", "backward", "optimizer")]
            assert counts == [times] * 3


def test_parts_lie_one_after_another_within_their_step(work: Twice) -> None:
    for step in inside(work, "step", "Sequential.fit"):
        parts = [row for row in work.rows if row["parent"] == step["id"]]
        assert [row["kind"] for row in parts] == ["data", "forward", "backward", "optimizer"]
        times = [
            step["start_ns"],
            *(at for row in parts for at in (row["start_ns"], row["end_ns"])),
            step["end_ns"],
        ]
        assert times == sorted(times)


def test_validation_in_a_fit_is_inference_in_its_epoch(work: Twice) -> None:
    validations = inside(work, "validation", "Sequential.fit")

    assert len(validations) == 3
    assert {row["above_kind"] for row in validations} == {"epoch"}
    assert below(work, "Sequential.evaluate") == {"inference": 3 + 2}


def test_prediction_is_inference(work: Twice) -> None:
    assert below(work, "Sequential.predict") == {"inference": 2}


def test_single_batches_are_steps_too(work: Twice) -> None:
    alone = Counter(row["kind"] for row in work.rows if row["above_kind"] == "process")

    assert (alone["step"], alone["inference"]) == (1, 2)


def test_loops_over_data_loaders_are_no_epochs_of_their_own(work: Twice) -> None:
    epochs = [row for row in work.rows if row["kind"] in ("epoch", "evaluation")]

    assert [facts(row) for row in epochs] == [
        *({"number": number, "steps": 4} for number in (1, 2, 3)),
        *({"number": number, "steps": 5} for number in (1, 2)),
        {"number": 1, "steps": 5},
    ]
    assert {row["above_kind"] for row in epochs} == {"fit"}


def test_runs_tell_what_they_were_given(work: Twice) -> None:
    runs = {row["name"]: facts(row) for row in work.rows if row["kind"] in ("fit", "predict")}

    assert runs == {
        "Sequential.fit": {"epochs": 3, "batch_size": 8},
        "Unbuilt.fit": {"epochs": 2},
        "Twofold.fit": {"epochs": 5, "batch_size": 8},
        "Sequential.predict": {"batch_size": 20},
    }


def test_number_of_steps_is_exact_where_they_are_only_counted(user: Someone) -> None:
    need("keras", "torch")

    counts = count_steps(user, "keras_many.py")

    assert (counts["step"], counts["inference"], counts["epoch"]) == (180, 6, 3)


def test_failing_programs_say_the_same() -> None:
    need("keras", "torch")

    twice = run_in_full("keras_failing.py")

    assert twice.bare.err.count("Traceback") == 11
    assert twice.recorded == twice.bare
    assert {row["status"] for row in twice.rows if row["kind"] in ("fit", "predict")} == {"failed"}


def test_keras_that_is_loaded_already_is_recorded_and_left_as_it_was(user: Someone, tmp_path: Path) -> None:
    need("keras", "torch")

    said = run(user, [user.python, str(PROGRAMS / "keras_applied.py"), str(user.runs)], Setting(tmp_path))

    assert (said.code, said.out.split()) == (0, ["False", "True", "False", "True", "True", "1"]), said.err
    steps = "SELECT sum(count)::BIGINT AS steps FROM phases WHERE kind = 'step'"
    runs = [open_run(path).query(steps)["steps"][0] for path in sorted(user.runs.iterdir())]
    assert sorted(runs, key=str) == [6, 6, None]  # the last was stopped before the end of its step


# A library with less than the hook asks for, and one with all of it that behaves in another way.
WORKING = """
class Model:
    def fit(self, x, epochs=1, batch_size=None): return "fitted"
"""
OTHERWISE = """
__version__ = "9.0"
class backend:
    backend = staticmethod(lambda: "another")
class callbacks:
    class CallbackList:
        def on_epoch_begin(self, epoch): print("heard", epoch)
        on_epoch_end = on_test_begin = on_predict_begin = on_train_batch_begin = on_epoch_begin
        on_train_batch_end = on_test_batch_begin = on_test_batch_end = on_epoch_begin
        on_predict_batch_begin = on_predict_batch_end = on_epoch_begin
class Model:
    def fit(self, x, epochs=1, batch_size=None):
        callbacks.CallbackList().on_epoch_begin("one")
        return "fitted"
    evaluate = predict = train_on_batch = test_on_batch = predict_on_batch = fit
"""


@pytest.mark.parametrize(
    "library",
    [
        "__version__ = '9.1'\n" + WORKING,
        "__version__ = 'next'\n" + WORKING,
        "__version__ = '2.15.0'\n" + WORKING,
        WORKING,
        OTHERWISE,
    ],
)
def test_keras_that_has_changed_is_left_alone_and_said(user: Someone, tmp_path: Path, library: str) -> None:
    (tmp_path / "keras").mkdir()
    (tmp_path / "keras" / "__init__.py").write_text(library)
    program = "import keras; print(keras.Model().fit(1), keras.Model.fit.__code__.co_filename)"

    said = same(user, [user.python, "-c", program], Setting(tmp_path, looking_in(user, tmp_path)))

    assert "fitted" in said.out
    assert [failure.hook for failure in user.latest().recording.hooks_given_up] == ["keras"]
