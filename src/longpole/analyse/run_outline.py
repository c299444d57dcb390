"""A run as a workflow: jobs, what was moved and used from outside, and what was assigned to it.

Method: counts by the rule come from what the driver told of its plan. What was moved is the sum over phases
that stage, links left out; results that go to the user are not counted. Hours (Krawczuk et al. 2021, Table
IV) are cores and GPUs that a job was given, times how long it had them: from its begin, when it no longer
waits for room, to its end; auxiliary jobs have one core. A plain command has all cores and GPUs of its hosts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from longpole.analyse.values import Row, number, plus, whole, word
from longpole.model.columns import Columns
from longpole.model.run_outline import RunOutline

# Ways that move no file.
_LINKS = ("link", "hardlink")
_NO_PLAN = "the driver did not tell its plan: it did not come to its end, or is of an earlier version"
_NO_WORKFLOW = "it is no run of 'longpole run', which plans and moves files"
_NO_INPUTS = "nothing tells which files are inputs: a workflow declares them, a plain command does not"
_NO_IMAGE = "no container image was used"
_NO_IMAGES_TOLD = "nothing tells of container images: it is no run of 'longpole run'"
_NO_SIZES = "the size of a file is not known"
_NO_CORES = "nobody told how many cores jobs had"
_NO_GPUS = "nobody told how many GPUs jobs had"


@dataclass(frozen=True, slots=True)
class OutlineEvidence:
    """All that a run as a workflow is drawn from.

    Attributes:
        plan: What its driver told of the plan: ``jobs``, ``staged_in`` and so on; empty if it told nothing.
        workflow: Whether it is a run of a workflow of ours.
        auxiliary: Types of task that the runner itself added.
        tasks: Columns ``type`` and ``tasks`` (how many that are jobs of their own).
        groups: How many jobs of several tasks there are.
        staged: Columns ``kind``, ``way``, ``type`` (of task), ``files`` and ``bytes``.
        inputs: Columns ``files``, ``sized`` and ``bytes``: files that tasks use and none makes.
        held: Columns ``type``, ``cores``, ``gpus``, ``seconds``: what attempts of jobs had, added up by type;
            cores and GPUs are empty where nobody told.
        hosts_cores: Cores of all hosts; 0 where they are not known.
        hosts_gpus: GPUs of all hosts.
        took_s: How long the run took; None where that is not known.
    """

    plan: dict[str, int]
    workflow: bool
    tasks: Columns
    groups: int
    staged: Columns
    inputs: Columns
    held: Columns
    auxiliary: Collection[str] = field(default=())
    hosts_cores: int = 0
    hosts_gpus: int = 0
    took_s: float | None = None


def run_outline(evidence: OutlineEvidence) -> RunOutline:
    """Return a run as a workflow; what cannot be known has a reason."""
    figures: dict[str, float | None] = {
        **_counts(evidence),
        **_moved(evidence),
        **_inputs(evidence),
        "cpu_h": _hours(evidence, "cores", evidence.hosts_cores),
        "gpu_h": _hours(evidence, "gpus", evidence.hosts_gpus),
    }
    reasons = {name: _reason(name, evidence) for name, value in figures.items() if value is None}
    counts = {name: whole(value) for name, value in figures.items() if not name.endswith("_h")}
    return RunOutline(**counts, cpu_h=figures["cpu_h"], gpu_h=figures["gpu_h"], reasons=reasons)


def _counts(evidence: OutlineEvidence) -> dict[str, float | None]:
    """Return jobs, as planned or else as they were found, and what was counted by the rule."""
    plan, rows = evidence.plan, list(evidence.tasks.records())
    beside = [whole(row["tasks"]) or 0 for row in rows if word(row["type"]) in evidence.auxiliary]
    every = sum(whole(row["tasks"]) or 0 for row in rows) + evidence.groups
    found = {"jobs": every - sum(beside), "auxiliary_jobs": sum(beside)} if every else {"jobs": 1}
    return {
        "jobs": plan.get("jobs", found["jobs"]),
        "auxiliary_jobs": found.get("auxiliary_jobs", plan.get("auxiliary")),
        "connections": plan.get("connections"),
        "files_staged_in": plan.get("staged_in"),
    }


def _moved(evidence: OutlineEvidence) -> dict[str, float | None]:
    rows = [row for row in evidence.staged.records() if word(row["way"]) not in _LINKS]
    came = [row for row in rows if row["kind"] == "stage_in"]
    went = [row for row in rows if row["kind"] == "stage_out" and word(row["type"]) not in evidence.auxiliary]
    return {
        "files_brought": _total(evidence, came, "files"),
        "bytes_brought": _total(evidence, came, "bytes"),
        "files_sent": _total(evidence, went, "files"),
        "bytes_sent": _total(evidence, went, "bytes"),
    }


def _total(evidence: OutlineEvidence, rows: list[Row], name: str) -> float | None:
    found = plus([number(row[name]) for row in rows])
    return 0 if found is None and evidence.workflow else found


def _inputs(evidence: OutlineEvidence) -> dict[str, float | None]:
    """Return files from outside: as our driver told them, else as tasks use them and none makes them."""
    plan = evidence.plan
    row = next(evidence.inputs.records(), {"files": None, "sized": None, "bytes": None})
    files = None if evidence.workflow else whole(row["files"]) or None
    size = number(row["bytes"]) if files and whole(row["sized"]) == files else None
    return {
        "input_files": plan.get("input_files", files),
        "input_bytes": plan.get("input_bytes", size),
        "image_bytes": plan.get("image_bytes") if plan.get("images") else None,
    }


def _hours(evidence: OutlineEvidence, what: str, of_hosts: int) -> float | None:
    rows = list(evidence.held.records())
    if not rows:
        known = of_hosts or what == "gpus"
        return of_hosts * evidence.took_s / 3600 if known and evidence.took_s is not None else None
    amounts = [(number(row[what]), number(row["seconds"])) for row in rows]
    if any(amount is None or seconds is None for amount, seconds in amounts):
        return None
    return sum((amount or 0.0) * (seconds or 0.0) for amount, seconds in amounts) / 3600


def _reason(name: str, evidence: OutlineEvidence) -> str:
    plan = evidence.plan
    if name in ("cpu_h", "gpu_h"):
        return _NO_CORES if name == "cpu_h" else _NO_GPUS
    if name == "image_bytes" and not evidence.workflow:
        return _NO_IMAGES_TOLD
    if name == "image_bytes" and plan:
        return _NO_SIZES if plan.get("images") else _NO_IMAGE
    if name.startswith("input"):
        files = next(iter(evidence.inputs["files"]), None)
        if evidence.workflow and not plan:
            return _NO_PLAN
        return _NO_SIZES if plan or files else _NO_INPUTS
    return _NO_PLAN if evidence.workflow else _NO_WORKFLOW
