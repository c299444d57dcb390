"""Galaxy's search: what it proposes, what it finds, and that it goes on from wherever it was killed."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

import pytest

from tests.parts import need
from tests.workflows.galaxy.micro import EPOCHS, TRIALS, Killed, programs, search_arguments

need("torch", "optuna", "pillow")
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def undisturbed(pictures, tmp_path_factory) -> dict[str, Any]:
    return found(search_arguments(pictures, tmp_path_factory.mktemp("undisturbed")))


def found(given) -> dict[str, Any]:
    programs.hpo.search(given)
    best: dict[str, Any] = json.loads(given.best.read_text())
    return best


def killed_at(monkeypatch, given, epoch: int) -> None:
    """Search, and be killed within so many epochs of all trials together."""
    original, count = programs.model.Learner.learn_epoch, iter(range(1000))

    def learn_epoch(learner) -> float:
        if next(count) == epoch:
            raise Killed
        return float(original(learner))

    with monkeypatch.context() as patched:
        patched.setattr(programs.model.Learner, "learn_epoch", learn_epoch)
        with pytest.raises(Killed):
            programs.hpo.search(given)


def test_the_best_trial_has_the_smallest_validation_loss(undisturbed):
    losses = [trial["validation_loss"] for trial in undisturbed["trials"]]

    assert len(losses) == TRIALS
    assert undisturbed["validation_loss"] == min(losses)
    assert undisturbed["transferred"] == 0
    assert undisturbed["body_rate"] in programs.hpo.recipe_of(0.125, pretrained=False).body_rate


def test_with_a_pretrained_body_the_grid_is_the_published_one():
    recipe = programs.hpo.recipe_of(1.0, pretrained=True)

    assert recipe == programs.hpo.Recipe((1e-7, 1e-8, 1e-9), (1e-4, 1e-5, 1e-6), (17, 21, 24), decays=False)


@pytest.mark.parametrize("epoch", range(TRIALS * EPOCHS))
def test_a_search_goes_on_as_if_it_had_never_stopped(
    pictures, undisturbed, tmp_path, monkeypatch, capsys, epoch
):
    given = search_arguments(pictures, tmp_path)
    killed_at(monkeypatch, given, epoch)
    capsys.readouterr()

    assert found(given) == undisturbed
    trial, learned = divmod(epoch, EPOCHS)
    goes_on = f"trial {trial}: going on after {learned} of {EPOCHS} epochs"
    assert (goes_on in capsys.readouterr().err) == (learned > 0)


def test_a_trial_that_was_finished_is_not_tried_again(pictures, undisturbed, tmp_path, monkeypatch, capsys):
    given = search_arguments(pictures, tmp_path)
    killed_at(monkeypatch, given, EPOCHS + 1)
    capsys.readouterr()

    found(given)

    said = capsys.readouterr().err
    assert "trial 0," not in said
    assert f"trial 1, epoch 1/{EPOCHS}" not in said
    assert f"trial 1, epoch 2/{EPOCHS}" in said


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"identity": "other", "values": {"0": 0.1}}', b"\xff\xfe"]
)
def test_a_damaged_or_foreign_checkpoint_means_starting_fresh(
    pictures, tmp_path, capsys, undisturbed, content
):
    given = search_arguments(pictures, tmp_path)
    given.checkpoint.write_bytes(content)
    tmp_path.joinpath("trial_0.pt").write_bytes(content)

    assert found(given) == undisturbed
    said = capsys.readouterr().err
    assert said.count("starting fresh") == 1 + TRIALS


def test_a_search_with_other_weights_or_cores_is_another_one(pictures, tmp_path):
    weights = tmp_path / "vgg16.pth"

    def identity(content: bytes, cores: int = 1) -> str:
        weights.write_bytes(content)
        return str(
            programs.hpo.Search(search_arguments(pictures, tmp_path, weights=weights, cores=cores)).identity
        )

    assert identity(b"one") == identity(b"one")
    assert len({identity(b"one"), identity(b"two"), identity(b"one", cores=2)}) == 3


def test_a_trial_that_diverges_is_not_the_best(pictures, tmp_path, monkeypatch):
    original, count = programs.model.Learner.judged, iter(range(1000))

    def judged(learner, batches) -> tuple[float, float]:
        loss, right = original(learner, batches)
        return (float("nan") if next(count) < EPOCHS else loss), right

    monkeypatch.setattr(programs.model.Learner, "judged", judged)
    best = found(search_arguments(pictures, tmp_path))

    assert best["trials"][0]["validation_loss"] == sys.float_info.max
    assert best["validation_loss"] == best["trials"][1]["validation_loss"] < sys.float_info.max


def test_the_tuned_search_tries_the_same_side_by_side(pictures, tmp_path, undisturbed):
    tuned = found(search_arguments(pictures, tmp_path, variant="tuned", cores=2))

    assert [searched(trial) for trial in tuned["trials"]] == [
        searched(each) for each in undisturbed["trials"]
    ]
    assert tuned["validation_loss"] == min(trial["validation_loss"] for trial in tuned["trials"])
    assert [path.name for path in tmp_path.glob("trial_*")] == []


def searched(trial) -> dict[str, object]:
    return {name: value for name, value in trial.items() if name != "validation_loss"}


@pytest.mark.parametrize("cores", [1, 2])
def test_a_tuned_search_goes_on_too(pictures, tmp_path, monkeypatch, cores):
    folders = [tmp_path / "undisturbed", tmp_path / "killed"]
    for folder in folders:
        folder.mkdir()
    expected, given = (search_arguments(pictures, folder, variant="tuned", cores=cores) for folder in folders)

    kill = killed_at if cores == 1 else killed_side_by_side
    kill(monkeypatch, given, 2)

    assert given.checkpoint.with_name("trial_0.pt").exists()
    assert found(given) == found(expected)


def killed_side_by_side(monkeypatch, given, epoch: int) -> None:
    """Search in two processes, and let each of them be killed after so many epochs."""
    original = programs.model.Learner.learn_epoch

    def learn_epoch(learner) -> float:
        if learner.epoch == epoch:
            os.kill(os.getpid(), signal.SIGKILL)
        return float(original(learner))

    with monkeypatch.context() as patched:
        patched.setattr(programs.model.Learner, "learn_epoch", learn_epoch)
        with pytest.raises(ValueError, match="process 0 ended with exit code -9"):
            programs.hpo.search(given)


def test_a_trial_that_fails_in_its_process_fails_the_search(pictures, tmp_path, monkeypatch):
    monkeypatch.setattr(programs.model.Learner, "learn_epoch", lambda learner: 1 / 0)

    with pytest.raises(ValueError, match=r"process 0 ended with exit code 1\."):
        found(search_arguments(pictures, tmp_path, variant="tuned", cores=2))


@pytest.mark.parametrize(
    ("variant", "cores", "threads"), [("published", 2, 2), ("tuned", 2, 1), ("tuned", 5, 2)]
)
def test_a_search_uses_the_cores_that_it_was_given(pictures, tmp_path, monkeypatch, variant, cores, threads):
    import torch

    def learn_epoch(learner) -> float:
        raise ValueError(f"{torch.get_num_threads()} threads")

    monkeypatch.setattr(programs.model.Learner, "learn_epoch", learn_epoch)

    with pytest.raises(ValueError, match=f"^{threads} threads"):
        found(search_arguments(pictures, tmp_path, variant=variant, cores=cores))


@pytest.mark.parametrize("name", ["trials", "epochs", "batch", "width"])
def test_nothing_can_be_zero(pictures, tmp_path, name):
    with pytest.raises(ValueError, match="must all be above zero"):
        programs.hpo.search(search_arguments(pictures, tmp_path, **{name: 0}))
