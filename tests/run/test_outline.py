"""What a workflow turned out to be: as its plan counts it, and only when all of it is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.describe.load import load_workflow
from longpole.model.plan import RULES, Placement
from longpole.plan.clusters import Clusters, clustering_for
from longpole.plan.expansion import Expansion
from longpole.plan.outside import Outside, found_members
from longpole.plan.planning import make_plan
from longpole.run.jobs import Graph
from longpole.run.outline import outline_of
from longpole.store.derive.workflow_notes import Outline

WORKFLOW = """
longpole: 1
name: parts
sets:
  part: {values: [aa, ab]}
tasks:
  first:
    for_each: [part]
    inputs: {src: "raw/{part}.txt", all: raw/all.txt}
    run: "cat {src} {all} > {out}"
    outputs: {out: "first/{part}.txt"}
    image: image.sqfs
  last:
    inputs: {some: "first/{part}.txt"}
    code: [twice.sh]
    run: "sh twice.sh {some} > {out}"
    outputs: {out: last.txt}
"""


def _outline(folder: Path, placement: Placement) -> tuple[Outline | None, dict[str, int | None]]:
    """Return the outline of the workflow in a folder, as its jobs were, and what its plan says."""
    workflow = load_workflow(str(folder / "workflow.yaml"), {})
    plan = make_plan(workflow, placement)
    expansion = Expansion(workflow, found_members(workflow))
    expansion.expand()
    graph = Graph(expansion)
    graph.make_room(len(expansion.tasks))
    groups = Clusters(clustering_for(placement, workflow), expansion).assign(range(len(expansion.tasks)))
    for group in groups:
        level = 1 if group.label else expansion.levels[expansion.tasks[group.tasks[0]].template.name]
        job = graph.add_job(group.label, level)
        for task in group.tasks:
            graph.join(task, job)
    planned = {
        "jobs": plan.jobs.value,
        "auxiliary": plan.auxiliary_jobs.value,
        "staged_in": plan.files_staged_in.value,
    }
    return outline_of(graph, expansion, RULES[placement], Outside(workflow)), planned


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "raw").mkdir()
    for name, size in (("raw/aa.txt", 10), ("raw/ab.txt", 20), ("raw/all.txt", 300), ("image.sqfs", 4000)):
        (tmp_path / name).write_text("x" * size)
    (tmp_path / "twice.sh").write_text("")
    (tmp_path / "workflow.yaml").write_text(WORKFLOW)
    return tmp_path


@pytest.mark.parametrize("placement", list(Placement))
def test_an_outline_counts_as_the_plan_does(folder: Path, placement: Placement):
    outline, planned = _outline(folder, placement)

    assert outline is not None
    assert (outline.jobs, outline.auxiliary, outline.staged_in) == tuple(planned.values())
    assert outline.connections == RULES[placement].connections


def test_inputs_are_files_that_tasks_use_and_none_makes_without_code_and_images(folder: Path):
    outline, _ = _outline(folder, Placement.BASELINE)

    assert outline is not None
    assert (outline.input_files, outline.input_bytes) == (3, 330)
    assert (outline.images, outline.image_bytes) == (1, 4000)


def test_a_size_that_is_not_known_is_said_to_be_so(folder: Path):
    (folder / "raw" / "aa.txt").unlink()
    (folder / "image.sqfs").unlink()

    outline, _ = _outline(folder, Placement.BASELINE)

    assert outline is not None
    assert (outline.input_files, outline.input_bytes, outline.image_bytes) == (3, -1, -1)


def test_a_workflow_of_which_tasks_never_came_to_be_known_has_no_outline(folder: Path):
    made = WORKFLOW.replace("{values: [aa, ab]}", '{from: "raw2/{part}.txt"}')
    maker = 'tasks:\n  make:\n    run: "mkdir raw2"\n    outputs: ["raw2/{part}.txt"]'
    (folder / "workflow.yaml").write_text(made.replace("tasks:", maker, 1))

    assert _outline(folder, Placement.BASELINE)[0] is None
