"""The description of the lung workflow: where data comes from, and what its parameters change."""

from __future__ import annotations

import os
import sys

import pytest

from longpole.describe.load import load_workflow
from longpole.model.plan import Placement
from longpole.model.workflow import WorkflowError
from longpole.plan.expansion import Expansion
from longpole.plan.planning import make_plan
from tests.workflows.lung.micro import LUNG


def described(**chosen):
    return load_workflow(LUNG, {name: str(value) for name, value in chosen.items()})


def expanded(workflow):
    found = Expansion(workflow, {})
    found.expand()
    return found


@pytest.fixture
def data(tmp_path):
    """Give 20 X-rays of two hospitals, two of them without a mask."""
    for name in ("CXR_png", "masks"):
        (tmp_path / name).mkdir()
    for number in range(10):
        for stem, mask in ((f"CHN_{number}", f"CHN_{number}_mask"), (f"MCU_{number}", f"MCU_{number}")):
            (tmp_path / "CXR_png" / f"{stem}.png").touch()
            if number != 3:
                (tmp_path / "masks" / f"{mask}.png").touch()
    return tmp_path


def test_names_lead_to_the_files_of_a_folder(data):
    workflow = described(data=data)
    outside = {name for name in expanded(workflow).outside if name.endswith(".png")}

    assert len(outside) == 2 * 18
    assert workflow.files["masks/MCU_1_mask.png"].path == str(data / "masks" / "MCU_1.png")
    assert workflow.files["masks/CHN_1_mask.png"].path == str(data / "masks" / "CHN_1_mask.png")
    assert "images/CHN_3.png" not in outside


def test_a_limit_takes_a_part_of_the_data(data):
    found = expanded(described(data=data, limit=10))

    assert [len(found.tasks_of(kind)) for kind in ("preprocess", "hpo")] == [3, 1]
    assert len([name for name in found.outside if name.startswith("images/")]) == 10


def test_a_folder_without_data_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(WorkflowError, match=r"has no folder CXR_png. The set is published at Kaggle as"):
        described(data=tmp_path)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"variant": "fast"}, "variant is one of published, tuned, not 'fast'"),
        ({"device": "tpu"}, "device is one of auto, cpu, cuda, not 'tpu'"),
        ({"trials": -1}, "trials is -1, and must not be below 0"),
        ({"weights": "/nowhere.pth"}, "weights is '/nowhere.pth', and there is no such file"),
    ],
)
def test_a_choice_that_is_none_is_refused_in_a_sentence(chosen, said):
    with pytest.raises(WorkflowError, match=said):
        described(**chosen)


def test_weights_are_one_more_input_of_search_and_training(tmp_path):
    (tmp_path / "resnet34.pth").touch()
    plain, begun = described(scale="paper"), described(scale="paper", weights=tmp_path / "resnet34.pth")

    staged = [make_plan(each, Placement.BASELINE).files_staged_in.value for each in (plain, begun)]

    assert staged == [9_446, 9_448]
    assert "--weights {weights_file}" in begun.templates["hpo"].command
    assert "--weights" not in plain.templates["train"].command


def test_trials_and_epochs_are_chosen():
    chosen = described(scale="paper", trials=1, epochs=2)

    assert "--trials 1 --epochs 2 " in chosen.templates["hpo"].command
    assert "--epochs 2 " in chosen.templates["train"].command
    assert "--trials 10 --epochs 25 " in described(scale="paper").templates["hpo"].command


def test_programs_run_by_this_python_and_in_an_image_by_that_of_the_image():
    assert described().parameters["python"] == sys.executable
    assert described(container="x.sqfs").parameters["python"] == "python3"
    assert described(python="/opt/python").parameters["python"] == "/opt/python"


def test_the_scale_of_the_paper_can_do_without_an_image():
    assert {each.image for each in described(scale="paper", container="none").templates.values()} == {""}


def test_no_gpu_is_asked_for_where_none_is_to_be_used():
    workflow = described(scale="paper", device="cpu")

    assert sum(each.resources.gpus for each in workflow.templates.values()) == 0


@pytest.mark.parametrize("variant", ["published", "tuned"])
@pytest.mark.parametrize("scale", ["tiny", "paper"])
def test_a_program_is_told_the_cores_that_its_task_asks_for(scale, variant):
    for name in ("preprocess", "hpo", "train", "predict"):
        template = described(scale=scale, variant=variant).templates[name]

        assert f"--cores {template.resources.cores} " in template.command


@pytest.mark.parametrize(("there", "asked"), [(1, 1), (2, 2), (64, 2)])
def test_no_more_cores_are_asked_for_than_this_process_may_use(monkeypatch, there, asked):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(there)))

    assert described(variant="tuned").templates["hpo"].resources.cores == asked
