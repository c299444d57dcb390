"""A run as a workflow: counts by the rule, what moved, inputs and hours, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from longpole.analyse.run_outline import OutlineEvidence, run_outline
from longpole.model.columns import Column, Columns, floats, texts
from longpole.model.run_outline import RunOutline

PLAN = {
    "jobs": 11,
    "auxiliary": 12,
    "staged_in": 111_952,
    "input_files": 28_793,
    "input_bytes": 374,
    "images": 1,
    "image_bytes": 2400,
    "connections": 8,
}
_TEXTS = ("type", "kind", "way", "job_type")


def _columns(names: tuple[str, ...], *rows: tuple[Any, ...]) -> Columns:
    def column(name: str, at: int) -> Column:
        cells = [row[at] for row in rows]
        return texts(cells) if name in _TEXTS else floats(cells)

    return Columns({name: column(name, at) for at, name in enumerate(names)})


def _outline(**facts: Any) -> RunOutline:
    """Return the outline of a run, by rows of what is known."""
    tables = {
        "tasks": _columns(("type", "tasks"), *facts.pop("tasks", ())),
        "staged": _columns(("kind", "way", "type", "files", "bytes"), *facts.pop("staged", ())),
        "inputs": _columns(("files", "sized", "bytes"), facts.pop("inputs", (0, 0, None))),
        "held": _columns(("type", "cores", "gpus", "seconds"), *facts.pop("held", ())),
    }
    known = {"plan": {}, "workflow": True, "groups": 0, "auxiliary": ("stage_out", "create_dir"), **tables}
    return run_outline(OutlineEvidence(**{**known, **facts}))


def test_what_the_driver_told_of_its_plan_is_what_is_said():
    found = _outline(plan=PLAN)

    assert (found.jobs, found.files_staged_in, found.connections) == (11, 111_952, 8)
    assert (found.input_files, found.input_bytes, found.image_bytes) == (28_793, 374, 2400)


def test_auxiliary_jobs_are_those_that_were_done():
    found = _outline(plan=PLAN, tasks=[("fit", 10), ("create_dir", 1), ("stage_out", 5)], groups=1)

    assert (found.jobs, found.auxiliary_jobs) == (11, 6)


def test_without_a_plan_jobs_are_counted_and_the_rest_is_not_known():
    found = _outline(tasks=[("fit", 10), ("create_dir", 1)], groups=2)

    assert (found.jobs, found.auxiliary_jobs, found.files_staged_in) == (12, 1, None)
    assert found.reasons["files_staged_in"].startswith("the driver did not tell its plan")
    assert found.reasons["input_files"] == found.reasons["image_bytes"] == found.reasons["files_staged_in"]


def test_links_move_nothing_and_results_for_the_user_are_not_sent_by_jobs():
    found = _outline(
        staged=[
            ("stage_in", "link", "fit", 30, 0),
            ("stage_in", "http", "fit", 4, 400),
            ("stage_in", "copy", None, 1, 7),
            ("stage_out", "http", "fit", 2, 90),
            ("stage_out", "copy", "stage_out", 1, 50),
        ]
    )

    assert (found.files_brought, found.bytes_brought) == (5, 407)
    assert (found.files_sent, found.bytes_sent) == (2, 90)


def test_a_workflow_of_ours_that_moved_nothing_moved_nothing():
    assert (_outline().files_brought, _outline().bytes_sent) == (0, 0)


def test_another_systems_staging_of_unknown_size_is_not_known():
    found = _outline(workflow=False, staged=[("stage_in", "pegasus::transfer", "stage_in", None, None)])

    assert found.files_brought is None
    assert found.reasons["files_brought"] == "it is no run of 'longpole run', which plans and moves files"


def test_hours_are_cores_and_gpus_times_how_long_jobs_had_them():
    held = [
        ("fit", 8, 1, 3600.0),
        ("cut", 1, 0, 7200.0),
        ("stage_out", 1, 0, 1800.0),
        ("whole", 24, 2, 900.0),
    ]

    found = _outline(held=held)

    assert found.cpu_h == pytest.approx(8 * 1 + 1 * 2 + 0.5 + 24 * 0.25)
    assert found.gpu_h == pytest.approx(1 + 2 * 0.25)


def test_a_job_whose_cores_nobody_told_makes_hours_unknown():
    found = _outline(held=[("fit", 8, 1, 3600.0), ("cut", None, None, 7200.0)])

    assert (found.cpu_h, found.gpu_h) == (None, None)
    assert found.reasons["cpu_h"] == "nobody told how many cores jobs had"


def test_a_plain_command_has_all_of_its_machine():
    found = _outline(workflow=False, hosts_cores=4, hosts_gpus=1, took_s=1800.0, auxiliary=())

    assert (found.jobs, found.cpu_h, found.gpu_h) == (1, 2.0, 0.5)
    assert found.reasons["input_files"].startswith("nothing tells which files are inputs")
    assert found.reasons["image_bytes"].startswith("nothing tells of container images")


@pytest.mark.parametrize(("inputs", "size"), [((3, 3, 900), 900), ((3, 2, 900), None)])
def test_inputs_of_an_import_are_files_that_tasks_use_and_none_makes(
    inputs: tuple[int, int, int], size: int | None
):
    found = _outline(workflow=False, inputs=inputs)

    assert (found.input_files, found.input_bytes) == (3, size)


def test_a_workflow_without_an_image_says_so():
    found = _outline(plan={**PLAN, "images": 0})

    assert found.image_bytes is None
    assert found.reasons["image_bytes"] == "no container image was used"


def test_an_image_of_unknown_size_says_so():
    plan = {name: value for name, value in PLAN.items() if name != "image_bytes"}

    assert _outline(plan=plan).reasons["image_bytes"] == "the size of a file is not known"
