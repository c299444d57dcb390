"""Shipped machines and cases: the published figures follow from the files by division alone."""

from __future__ import annotations

import re
from math import floor
from pathlib import Path

import pytest

from longpole.describe.cases import read_case
from longpole.describe.library import shipped_cases, shipped_machines
from longpole.describe.machines import read_machine
from longpole.errors import UsageError
from longpole.model.case import Case, Dot, TaskKind
from longpole.model.machine import Machine

CASES = sorted(shipped_cases())


def case(name: str) -> Case:
    return case_at(shipped_cases()[name])


def case_at(path: Path) -> Case:
    return read_case(path, shipped_machine)


def shipped_machine(name: str) -> Machine:
    if name not in shipped_machines():
        raise UsageError(f"There is no machine '{name}'.")
    return read_machine(shipped_machines()[name])


def kind_of(name: str, kind: str) -> tuple[Case, TaskKind]:
    whole = case(name)
    return whole, next(each for each in whole.kinds if each.name == kind)


def node_seconds(name: str, kind: str, resource: str) -> float:
    """Return volume over peak of one task."""
    whole, found = kind_of(name, kind)
    return found.node[resource].amount / whole.machine.node[resource].nominal


def system_seconds(name: str, resource: str, *, contended: bool = False) -> float:
    """Return the bytes of all tasks over the peak; a peak of each node counts the nodes of one task."""
    whole = case(name)
    peak = whole.machine.system[resource]
    speed = peak.contended if contended else peak.nominal
    assert speed is not None
    total = sum(
        kind.count * kind.system[resource].amount * (kind.nodes if kind.system[resource].per_node else 1)
        for kind in whole.kinds
        if resource in kind.system
    )
    return total / (speed * (whole.kinds[0].nodes if peak.per_node else 1))


def system_ceiling(name: str, resource: str, *, contended: bool = False) -> float:
    return case(name).tasks / system_seconds(name, resource, contended=contended)


def wall(name: str) -> int:
    whole = case(name)
    return floor(whole.machine.nodes / max(kind.nodes for kind in whole.kinds))


def dot(name: str, wanted: str) -> Dot:
    return next(each for each in case(name).dots if each.name == wanted)


def height(name: str, wanted: str) -> float:
    found = dot(name, wanted)
    return (found.tasks or case(name).tasks) / found.makespan_s


@pytest.mark.parametrize(
    ("found", "published"),
    [
        (lambda: system_ceiling("figure-1", "file-system"), 5.6),
        (lambda: system_ceiling("figure-1", "network"), 0.1),
        (lambda: node_seconds("figure-1", "task", "pcie"), 0.04),
        (lambda: node_seconds("figure-1", "task", "flops"), 2.577e-3),
        (lambda: system_ceiling("lcls-cori", "external"), 0.006),
        (lambda: system_ceiling("lcls-cori", "external", contended=True), 0.0012),
        (lambda: system_ceiling("lcls-cori", "burst-buffer"), 1.092),
        (lambda: node_seconds("lcls-cori", "analyse", "memory"), 0.24806),
        (lambda: height("lcls-cori", "good day"), 0.005859),
        (lambda: height("lcls-cori", "bad day"), 0.001172),
        (lambda: system_ceiling("lcls-perlmutter-cpu", "external"), 0.03),
        (lambda: system_ceiling("lcls-perlmutter-cpu", "external", contended=True), 0.006),
        (lambda: system_ceiling("lcls-perlmutter-cpu", "file-system"), 5.76),
        (lambda: dot("lcls-perlmutter-cpu", "ideal load").makespan_s, 204.8),
        (lambda: node_seconds("bgw-64", "E", "flops") + node_seconds("bgw-64", "S", "flops"), 1767.9),
        (lambda: node_seconds("bgw-1024", "E", "flops") + node_seconds("bgw-1024", "S", "flops"), 110.49),
        (lambda: height("bgw-64", "64 nodes"), 4.779e-4),
        (lambda: height("bgw-1024", "1024 nodes"), 4.941e-3),
        (lambda: system_ceiling("bgw-64", "file-system"), 160),
        (lambda: system_ceiling("bgw-1024", "file-system"), 160),
        (lambda: system_seconds("bgw-64", "network"), 5.352),
        (lambda: system_seconds("bgw-1024", "network"), 0.3345),
        (lambda: node_seconds("bgw-64", "E", "flops") / dot("bgw-64", "64 nodes").kinds["E"], 0.4275),
        (lambda: node_seconds("bgw-64", "S", "flops") / dot("bgw-64", "64 nodes").kinds["S"], 0.4207),
        (lambda: node_seconds("bgw-1024", "E", "flops") / dot("bgw-1024", "1024 nodes").kinds["E"], 0.1632),
        (lambda: node_seconds("bgw-1024", "S", "flops") / dot("bgw-1024", "1024 nodes").kinds["S"], 0.3606),
        (lambda: node_seconds("cosmoflow", "epoch", "pcie"), 0.8),
        (lambda: node_seconds("cosmoflow", "epoch", "hbm"), 4.2145),
        (lambda: system_seconds("cosmoflow-1", "file-system"), 0.357),
        (lambda: height("cosmoflow", "12 instances"), 0.9808),
        (lambda: height("gptune-rci", "RCI"), 0.0723),
        (lambda: height("gptune-spawn", "Spawn"), 0.1755),
        (lambda: dot("gptune-spawn", "RCI").makespan_s / dot("gptune-spawn", "Spawn").makespan_s, 2.4265),
        (
            lambda: (
                dot("gptune-spawn", "Spawn").makespan_s
                / dot("gptune-spawn", "without Python's start").makespan_s
            ),
            11.944,
        ),
        (lambda: dot("gptune-rci", "RCI").parts["I/O"], 30),
        (lambda: dot("gptune-spawn", "Spawn").parts["I/O"], 0.02),
        (lambda: dot("gptune-rci", "if a sample took 13 s").makespan_s, 1020),
    ],
)
def test_published_figures_follow_from_the_files(found, published):
    assert found() == pytest.approx(published, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "parallel"),
    [
        ("figure-1", 28),
        ("lcls-cori", 74),
        ("lcls-perlmutter-cpu", 384),
        ("bgw-64", 28),
        ("bgw-1024", 1),
        ("cosmoflow", 12),
    ],
)
def test_walls_stand_where_they_were_published(name, parallel):
    assert wall(name) == parallel


def test_every_number_of_instances_of_cosmoflow_has_its_dot_the_twelve_first():
    dots = case("cosmoflow").dots

    assert [dot.parallel or 12 for dot in dots] == [12, *range(1, 12)]
    assert all(dot.tasks == 25 * (dot.parallel or 0) for dot in dots[1:])


@pytest.mark.parametrize(("name", "dot_name"), [("gptune-rci", "RCI"), ("gptune-spawn", "Spawn")])
def test_overheads_of_gptune_are_a_40th_of_the_measured_parts(name, dot_name):
    parts = dict(dot(name, dot_name).parts)
    application = parts.pop("application")
    overhead = case(name).kinds[0].overhead

    assert {part: volume.amount * 40 for part, volume in overhead.items()} == pytest.approx(parts)
    assert application + sum(parts.values()) == pytest.approx(dot(name, dot_name).makespan_s)


def test_the_main_dot_of_spawn_is_spawn():
    assert case("gptune-spawn").main == "Spawn"


@pytest.mark.parametrize("name", CASES)
def test_times_of_kinds_add_up_to_the_makespan_where_tasks_follow_each_other(name):
    whole = case(name)
    for found in whole.dots:
        if found.kinds and whole.parallel == 1:
            total = sum(found.kinds[kind.name] * kind.count for kind in whole.kinds)
            assert total == pytest.approx(found.makespan_s, rel=1e-3)


@pytest.mark.parametrize(
    "path", [*shipped_machines().values(), *shipped_cases().values()], ids=lambda path: path.stem
)
def test_every_shipped_file_says_where_its_figures_are_from(path: Path):
    head = path.read_text().split("name =")[0]

    assert re.search(r"et al\., \d{4}|nominal, as advertised", head)


ODD = (
    '""',
    '"-1 GB"',
    '"1e400 s"',
    '"nan"',
    '"5"',
    "0",
    "-1",
    "1e308",
    "nan",
    "inf",
    "true",
    "[]",
    "{}",
    "[[]]",
)
ODDER = ('"a\\u001bb"', "2024-01-01", "07:32:00", "[{}]", "{ amount = 1 }", "{ nominal = {} }", "9" * 400)


@pytest.mark.parametrize("value", [*ODD, *ODDER])
def test_any_line_of_a_file_may_go_wrong_and_one_sentence_says_so(value, tmp_path):
    changed = tmp_path / "changed.toml"
    for path in (
        shipped_cases()["lcls-cori"],
        shipped_cases()["cosmoflow-1"],
        shipped_machines()["cori-haswell"],
    ):
        lines = path.read_text().splitlines()
        for place in [place for place, line in enumerate(lines) if re.match(r"[\w-]+ = ", line)]:
            key = lines[place].split(" = ")[0]
            changed.write_text("\n".join([*lines[:place], f"{key} = {value}", *lines[place + 1 :]]))
            try:
                read_machine(changed) if "machines" in path.parts else case_at(changed)
            except UsageError as error:
                told = str(error)
            else:
                told = "fine"
            assert told == "fine" or (str(changed) in told and told[-1] in ".?" and "\n" not in told)
