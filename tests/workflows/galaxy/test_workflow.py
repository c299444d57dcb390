"""Galaxy's description: where names of pictures lead, what parameters change, and what is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from longpole.describe.load import load_workflow
from longpole.model.workflow import Workflow, WorkflowError
from tests.workflows.galaxy.test_dataset import SMOOTH, lay_out
from tests.workflows.modules import WORKFLOWS

VOTES = (
    {**SMOOTH, "Class7.1": 0.9},
    {**SMOOTH, "Class7.2": 0.9},
    {**SMOOTH, "Class7.3": 0.9},
    {**SMOOTH, "Class2.1": 0.9},
    {**SMOOTH, "Class2.2": 0.9, "Class4.1": 0.9},
)


def described(**chosen: object) -> Workflow:
    return load_workflow(WORKFLOWS / "galaxy", {name: str(value) for name, value in chosen.items()})


def command(workflow: Workflow, task: str) -> str:
    return str(workflow.templates[task].command)


def members(workflow: Workflow, name: str) -> tuple[str, ...]:
    return workflow.sets[name].values or ()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lay_out(tmp_path, [*VOTES] * 20)
    return tmp_path


def test_names_lead_to_the_pictures_of_the_folder(folder):
    files = described(data=folder).files

    assert len(files) == 100
    assert len({place.path for place in files.values()}) == 100
    for name, place in files.items():
        label = int(name.split("_class_")[1].split("_")[0])
        galaxy = int(Path(place.path).stem) - 100_000
        assert Path(place.path).parent == folder / "images_training_rev1"
        assert galaxy % 5 == label


def test_the_split_follows_the_seed(folder):
    one, other = (described(data=folder, seed=seed) for seed in (10, 11))

    assert set(members(one, "val")) != set(members(other, "val"))
    assert len(members(one, "val")) == len(members(other, "val")) == 10


def test_a_folder_that_is_given_must_be_whole(folder, tmp_path_factory):
    next((folder / "images_training_rev1").iterdir()).unlink()

    for given in (folder, tmp_path_factory.mktemp("empty"), folder / "nowhere"):
        with pytest.raises(
            WorkflowError, match=r"from the Galaxy Zoo challenge on Kaggle .* make synthetic data"
        ):
            described(data=given)


def test_without_data_there_are_names_and_a_word_how_to_come_by_it():
    workflow = described(scale="paper")

    assert workflow.files == {}
    assert "generate.py --scale paper'" in workflow.if_missing


def test_a_table_without_a_label_is_refused_in_a_sentence(tmp_path):
    lay_out(tmp_path, [{}] * 3)

    with pytest.raises(WorkflowError, match="has no galaxy that the rule of labels takes"):
        described(data=tmp_path)


def test_advice_is_of_the_scale_that_was_asked_for(tmp_path):
    with pytest.raises(WorkflowError, match=r"generate\.py --scale small'"):
        described(data=tmp_path, scale="small")


@pytest.mark.parametrize(
    ("scale", "there", "given"),
    [("tiny", 1, (1, 1, 1)), ("tiny", 9, (2, 2, 2)), ("small", 9, (2, 2, 2)), ("paper", 9, (16, 8, 4))],
)
def test_programs_are_told_the_cores_that_jobs_ask_for(monkeypatch, scale, there, given):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(there)))
    workflow = described(scale=scale)

    for task, cores in zip(("hpo", "train", "evaluate"), given, strict=True):
        assert f" --cores {cores}" in command(workflow, task)
        assert workflow.templates[task].resources.cores == cores


def test_a_part_is_a_part_of_everything(folder):
    workflow = described(data=folder, limit=50)

    assert [len(members(workflow, name)) for name in ("train", "val", "test")] == [40, 5, 5]
    grouped = workflow.sets["new"].grouped or {}
    assert {label: len(names) for label, names in grouped.items()} == {"2": 55, "3": 30}


def test_a_part_without_a_rare_picture_is_refused(folder):
    with pytest.raises(
        WorkflowError, match=r"no image of class \d is left to make new ones of\. Raise limit"
    ):
        described(data=folder, limit=1)


def test_pretrained_weights_are_an_input_only_if_they_are_given(tmp_path):
    tmp_path.joinpath("vgg16.pth").touch()
    with_them, without = described(weights=tmp_path / "vgg16.pth"), described()

    for task in ("hpo", "train"):
        assert "--weights {pretrained}" in command(with_them, task)
        assert "pretrained.pth" in {name for use in with_them.templates[task].inputs for name in use.patterns}
        assert "--weights" not in command(without, task)
    assert without.files.keys() & {"pretrained.pth"} == set()


def test_weights_that_are_not_there_are_missed_in_a_sentence(tmp_path):
    with pytest.raises(WorkflowError, match=r"vgg16\.pth is not there\. torchvision publishes"):
        described(weights=tmp_path / "vgg16.pth")


@pytest.mark.parametrize(
    ("chosen", "image", "python"),
    [
        ({}, "", sys.executable),
        ({"scale": "paper"}, "galaxy.sqfs", "python3"),
        ({"scale": "paper", "container": "none"}, "", sys.executable),
        ({"container": "my.sqfs"}, "my.sqfs", "python3"),
        ({"python": "/opt/python"}, "", "/opt/python"),
    ],
)
def test_the_interpreter_follows_the_container(chosen, image, python):
    workflow = described(**chosen)

    assert {each.image for each in workflow.templates.values()} == {image}
    assert workflow.parameters["python"] == python


@pytest.mark.parametrize(("name", "value"), [("variant", "fast"), ("device", "tpu")])
def test_other_words_are_refused(name, value):
    with pytest.raises(WorkflowError, match=rf"{name} is one of .*, not '{value}'"):
        described(**{name: value})


def test_trials_and_epochs_can_be_chosen():
    workflow = described(scale="paper", trials=3, epochs=1)

    assert "--trials 3 --epochs 1 --batch 32" in command(workflow, "hpo")
    assert "--epochs 1 " in command(workflow, "train")
    assert workflow.templates["hpo"].unfinished == ("trial_0.pt", "trial_1.pt", "trial_2.pt")
    assert "--trials 2 --epochs 5 --batch 32 --width 1 " in command(described(scale="paper"), "hpo")
