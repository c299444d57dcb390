"""The paper's workflows through the command line: every number that must come out, within half a percent.

Where the paper's figure counts otherwise, ours is the number of one rule: all tasks of the workflow, decimal
bytes. docs/methods/roofline.md shows both.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from longpole.app.main import cli

Output = pytest.CaptureFixture[str]
Told = dict[str, Any]
Pick = Callable[[Told], float]


def ceiling(resource: str, field: str = "tasks_per_second_at_dot") -> Pick:
    """Pick a field of a ceiling."""
    return lambda told: next(one[field] for one in told["ceilings"] if one["resource"] == resource)


def task_seconds(resource: str, kind: str) -> Pick:
    """Pick the least time of one task."""
    return lambda told: ceiling(resource, "per_task_seconds")(told)[kind]  # type: ignore[index]


def dot(name: str, field: str = "y") -> Pick:
    """Pick a field of a dot."""
    return lambda told: next(one[field] for one in told["dots"] if one["name"] == name)


def main_dot(field: str) -> Pick:
    """Pick a field of the main dot."""
    return lambda told: dot(told["main"], field)(told)


def whole(field: str) -> Pick:
    """Pick a field of the roofline."""
    return lambda told: told[field]


def task(kind: str) -> Pick:
    """Pick the efficiency of a kind of task under its own ceiling."""
    return lambda told: next(one["efficiency"] for one in told["task_view"] if one["name"] == kind)


def part(dot_name: str, name: str, field: str) -> Pick:
    """Pick a part of a dot's makespan."""
    return lambda told: next(
        one[field]
        for breakdown in told["breakdowns"]
        if breakdown["dot"] == dot_name
        for one in breakdown["parts"]
        if one["name"] == name
    )


def target(field: str) -> Pick:
    """Pick a field of the target makespan."""
    return lambda told: next(one[field] for one in told["targets"] if one["name"] == "makespan")


NUMBERS: list[tuple[str, str, Pick, float]] = [
    ("figure-1", "file-system ceiling", ceiling("file-system"), 5.6),
    ("figure-1", "NIC ceiling", ceiling("network"), 0.1),
    ("figure-1", "PCIe time", ceiling("pcie", "workflow_seconds"), 0.04),
    ("figure-1", "FLOP time", ceiling("flops", "workflow_seconds"), 2.577e-3),
    ("figure-1", "wall", whole("wall"), 28),
    ("lcls-cori", "tasks", whole("tasks"), 6),
    ("lcls-cori", "parallel", whole("parallel"), 5),
    ("lcls-cori", "levels", whole("levels"), 2),
    ("lcls-cori", "makespan, good day", dot("good day", "makespan_s"), 1024),
    ("lcls-cori", "makespan, bad day", dot("bad day", "makespan_s"), 5120),
    ("lcls-cori", "external ceiling, good day", ceiling("external"), 0.006),
    ("lcls-cori", "external ceiling, bad day", ceiling("external", "contended_tasks_per_second"), 0.0012),
    ("lcls-cori", "dot, good day", dot("good day"), 0.005859),
    ("lcls-cori", "dot, bad day", dot("bad day"), 0.001172),
    ("lcls-cori", "target", target("tasks_per_second"), 0.01),
    ("lcls-cori", "burst buffer", ceiling("burst-buffer"), 1.092),
    ("lcls-cori", "node time", task_seconds("memory", "analyse"), 0.248),
    ("lcls-cori", "wall", whole("wall"), 74),
    ("lcls-perlmutter-cpu", "load time", dot("ideal load", "makespan_s"), 204.8),
    ("lcls-perlmutter-cpu", "external", ceiling("external"), 0.03),
    ("lcls-perlmutter-cpu", "external, contended", ceiling("external", "contended_tasks_per_second"), 0.006),
    ("lcls-perlmutter-cpu", "file system", ceiling("file-system"), 5.76),
    ("lcls-perlmutter-cpu", "wall", whole("wall"), 384),
    ("bgw-64", "node time of the workflow", ceiling("flops", "workflow_seconds"), 1767.9),
    ("bgw-64", "node ceiling at x = 1", ceiling("flops"), 1.1313e-3),
    ("bgw-64", "dot", main_dot("y"), 4.779e-4),
    ("bgw-64", "efficiency", main_dot("efficiency"), 0.422),
    ("bgw-64", "wall", whole("wall"), 28),
    ("bgw-64", "file system", ceiling("file-system"), 160),
    ("bgw-64", "network time", ceiling("network", "workflow_seconds"), 5.352),
    ("bgw-64", "E, share of its own ceiling", task("E"), 0.427),
    ("bgw-64", "S, share of its own ceiling", task("S"), 0.421),
    ("bgw-1024", "node time of the workflow", ceiling("flops", "workflow_seconds"), 110.49),
    ("bgw-1024", "node ceiling at x = 1", ceiling("flops"), 0.018101),
    ("bgw-1024", "dot", main_dot("y"), 4.941e-3),
    ("bgw-1024", "efficiency", main_dot("efficiency"), 0.273),
    ("bgw-1024", "wall", whole("wall"), 1),
    ("bgw-1024", "file system", ceiling("file-system"), 160),
    ("bgw-1024", "network time", ceiling("network", "workflow_seconds"), 0.3345),
    ("bgw-1024", "E, share of its own ceiling", task("E"), 0.163),
    ("bgw-1024", "S, share of its own ceiling", task("S"), 0.361),
    ("cosmoflow", "PCIe time of an epoch", task_seconds("pcie", "epoch"), 0.8),
    ("cosmoflow", "HBM time of an epoch", task_seconds("hbm", "epoch"), 4.2145),
    ("cosmoflow", "wall", whole("wall"), 12),
    ("cosmoflow", "dot at 12 instances", main_dot("y"), 0.9808),
    ("cosmoflow", "12 instances, share of HBM", main_dot("efficiency"), 0.344),
    ("cosmoflow-1", "file-system time of one instance", ceiling("file-system", "workflow_seconds"), 0.357),
    ("gptune-rci", "makespan", dot("RCI", "makespan_s"), 553),
    ("gptune-rci", "samples per second", dot("RCI"), 0.0723),
    ("gptune-rci", "I/O", part("RCI", "I/O", "seconds"), 30),
    (
        "gptune-rci",
        "overhead if a sample took 13 s",
        part("if a sample took 13 s", "bash and Python", "share"),
        0.49,
    ),
    ("gptune-spawn", "makespan", dot("Spawn", "makespan_s"), 227.9),
    ("gptune-spawn", "samples per second", dot("Spawn"), 0.1755),
    ("gptune-spawn", "I/O", part("Spawn", "I/O", "seconds"), 0.02),
    ("gptune-spawn", "speed-up of Spawn", dot("Spawn", "speedup"), 2.43),
    ("gptune-spawn", "projected makespan", dot("without Python's start", "makespan_s"), 19.08),
    ("gptune-spawn", "projected speed-up", dot("without Python's start", "speedup"), 11.94),
]
BOUNDS = {
    "figure-1": "network",
    "lcls-cori": "external link",
    "lcls-perlmutter-cpu": "external link",
    "bgw-64": "FLOPs",
    "bgw-1024": "FLOPs",
    "cosmoflow": "GPU memory bandwidth",
    "cosmoflow-1": "GPU memory bandwidth",
    "gptune-rci": "bash and Python",
    "gptune-spawn": "Python",
}


def told(capsys: Output, *arguments: str) -> Told:
    assert cli(["roofline", *arguments, "--json"]) == 0
    found: Told = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("case", "pick", "value"),
    [pytest.param(case, pick, value, id=f"{case}: {what}") for case, what, pick, value in NUMBERS],
)
def test_number_of_the_paper_comes_out(capsys: Output, case: str, pick: Pick, value: float) -> None:
    assert pick(told(capsys, case)) == pytest.approx(value, rel=0.005)


@pytest.mark.parametrize(("case", "bound"), BOUNDS.items())
def test_case_is_bound_by(capsys: Output, case: str, bound: str) -> None:
    assert told(capsys, case)["bound"] == bound


def test_every_case_is_checked_here(capsys: Output) -> None:
    assert cli(["roofline", "--cases", "--json"]) == 0

    shipped = {case["name"] for case in json.loads(capsys.readouterr().out)["cases"]}
    assert shipped == BOUNDS.keys() == {case for case, *_ in NUMBERS}


def test_ten_times_faster_node_leaves_lcls_as_it_is_and_says_so(capsys: Output) -> None:
    before, after = told(capsys, "lcls-cori"), told(capsys, "lcls-cori", "--faster", "node=10")

    assert after["throughput"] == before["throughput"]
    assert after["dots"][0]["y"] == pytest.approx(before["dots"][0]["y"])
    assert "changes nothing: the external link bounds it" in after["notes"][0]


def test_twice_the_nodes_halve_the_wall_and_double_the_node_ceiling(capsys: Output) -> None:
    before, after = told(capsys, "bgw-64"), told(capsys, "bgw-64", "--intra-task", "x2")

    assert (before["wall"], after["wall"]) == (28, 14)
    flops = ceiling("flops")
    assert flops(after) == pytest.approx(2 * flops(before))
    assert any("perfect scaling" in note for note in after["notes"])
