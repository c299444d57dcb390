"""The three workflows: their jobs, files and levels, by the rule for all placements, from names alone."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from longpole.describe.load import load_workflow
from longpole.model.plan import Placement
from longpole.model.workflow import WorkflowError
from longpole.plan.expansion import Expansion
from longpole.plan.planning import make_plan

WORKFLOWS = Path(__file__).parents[2] / "workflows"
NAMES = ("galaxy", "lung", "crisis")
SCALES = ("tiny", "small", "paper")
# Workflow, placement, jobs, auxiliary jobs, files staged in: Table II of the paper, as the rule counts.
ROWS = [
    ("galaxy", "baseline", 11, 12, 111_952),
    ("galaxy", "container-installed", 11, 12, 111_952),
    ("galaxy", "shared-fs", 11, 12, 111_941),
    ("galaxy", "clustering", 1, 4, 28_803),
    ("lung", "baseline", 7, 12, 9_446),
    ("lung", "container-installed", 7, 12, 9_446),
    ("lung", "shared-fs", 7, 12, 9_439),
    ("lung", "clustering", 1, 4, 1_417),
    ("crisis", "baseline", 16, 12, 51_006),
    ("crisis", "container-installed", 16, 12, 51_006),
    ("crisis", "shared-fs", 16, 12, 50_990),
    ("crisis", "clustering", 3, 6, 12_758),
]


@cache
def described(name, scale):
    return load_workflow(WORKFLOWS / name, {"scale": scale})


@cache
def planned(name, scale, placement):
    return make_plan(described(name, scale), placement)


@cache
def tasks_of(name, scale="paper"):
    expansion = Expansion(described(name, scale), {})
    expansion.expand()
    assert expansion.unexpanded == []
    return expansion


def inputs_of(name, kind):
    expansion = tasks_of(name)
    return sum(len(names) for n in expansion.tasks_of(kind) for names in expansion.tasks[n].inputs)


def outputs_of(name, kind):
    expansion = tasks_of(name)
    return [sum(map(len, expansion.tasks[n].outputs)) for n in expansion.tasks_of(kind)]


@pytest.mark.parametrize(("name", "placement", "jobs", "auxiliary", "files"), ROWS)
def test_the_rule_gives_the_table_exactly(name, placement, jobs, auxiliary, files):
    plan = planned(name, "paper", Placement(placement))

    assert (plan.jobs.value, plan.auxiliary_jobs.value, plan.files_staged_in.value) == (
        jobs,
        auxiliary,
        files,
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_workflow_has_five_levels(name):
    assert len(planned(name, "paper", Placement.LINKS).levels) == 5


def test_galaxy_has_the_images_of_the_paper():
    outside = tasks_of("galaxy").outside
    splits = Counter(name.removeprefix("images/").split("_")[0] for name in outside)
    classes = Counter(name.split("_class_")[1].split("_")[0] for name in outside)

    assert splits == {"train": 23_034, "val": 2_879, "test": 2_880}
    assert classes == {"0": 8_436, "1": 8_069, "2": 579, "3": 3_903, "4": 7_806}
    assert outputs_of("galaxy", "augment") == [7_000, 4_000]
    assert [inputs_of("galaxy", kind) for kind in ("augment", "hpo", "train", "evaluate")] == [
        441 + 3_099, 36_913, 39_793 + 1, 2_880 + 2,
    ]  # fmt: skip
    assert max(outputs_of("galaxy", "preprocess")) - min(outputs_of("galaxy", "preprocess")) <= 1, (
        "dealt evenly"
    )


def test_lung_has_the_images_of_the_paper():
    assert len(tasks_of("lung").outside) == 1_408
    assert sorted(outputs_of("lung", "preprocess")) == [71, 141, 2_460]
    assert [inputs_of("lung", kind) for kind in ("hpo", "train", "predict", "evaluate")] == [
        3_234, 3_235, 72, 1_689,
    ]  # fmt: skip
    assert outputs_of("lung", "predict") == [71]


def test_crisis_has_the_images_of_the_paper():
    images = [name for name in tasks_of("crisis").outside if name.endswith(".jpg")]

    assert len(images) == 12_738
    assert outputs_of("crisis", "preprocess_images") == [2_123] * 6
    assert inputs_of("crisis", "late_fusion") == 4
    assert outputs_of("crisis", "late_fusion") == [6]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("placement", list(Placement))
def test_every_scale_has_the_same_jobs(name, scale, placement):
    plan, paper = planned(name, scale, placement), planned(name, "paper", placement)

    assert (plan.jobs, plan.levels) == (paper.jobs, paper.levels)
    assert [(each.name, each.tasks) for each in plan.types] == [
        (each.name, each.tasks) for each in paper.types
    ]


@pytest.mark.parametrize("name", NAMES)
def test_gpus_are_asked_for_at_the_scale_of_the_paper_only(name):
    gpus = {
        scale: sum(each.resources.gpus for each in described(name, scale).templates.values())
        for scale in SCALES
    }

    assert gpus["paper"] > 0
    assert gpus["tiny"] == gpus["small"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_an_image_is_chosen(name):
    chosen = load_workflow(WORKFLOWS / name, {"container": "my.sqfs"})

    assert {each.image for each in chosen.templates.values()} == {"my.sqfs"}
    assert {each.image for each in described(name, "tiny").templates.values()} == {""}


@pytest.mark.parametrize("name", NAMES)
def test_a_scale_that_is_none_is_refused_in_a_sentence(name):
    with pytest.raises(WorkflowError, match="scale is one of tiny, small, paper, not 'huge'"):
        load_workflow(WORKFLOWS / name, {"scale": "huge"})


@pytest.mark.parametrize("name", NAMES)
def test_workflows_use_the_public_api_alone(name):
    lines = (WORKFLOWS / name / "workflow.py").read_text().splitlines()

    assert [line for line in lines if "longpole" in line and "import" in line] == [
        "from longpole import Workflow"
    ]
