"""``longpole roofline`` of a case and a machine of one's own: right numbers, or one sentence and code 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from longpole.app.main import cli

Output = pytest.CaptureFixture[str]

MACHINE = """
name = "Two racks"
nodes = 40
[node]
flops = "2 TFLOP/s"
memory = "100 GiB/s"
[system]
file-system = "80 Gb/s"
external = { nominal = "1 GB/s", contended = "250 MB/s" }
"""
CASE = """
name = "nightly"
machine = "racks.toml"
parallel = 4
unit = "sample"
[[tasks]]
name = "simulate"
count = 8
nodes = 10
node = { flops = "1200000 GFLOP", memory = "204800 MiB" }
system = { file-system = "0.5 TB" }
overhead = "0.5 min"
[[tasks]]
name = "fetch"
count = 2
system = { external = "90 GB" }
[target]
makespan = "0.5 h"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    (tmp_path / "racks.toml").write_text(MACHINE)
    (tmp_path / "case.toml").write_text(CASE)
    return tmp_path


def refused(capsys: Output, *arguments: str) -> str:
    """Return the one sentence with which this is refused."""
    assert cli(["roofline", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("longpole: ")
    assert err.count("\n") == 1
    return err


def test_other_units_give_the_right_seconds(capsys: Output) -> None:
    assert cli(["roofline", "case.toml", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    least = {one["resource"]: one["workflow_seconds"] for one in told["ceilings"]}
    assert least["flops"] == pytest.approx(8 * 600 / 4)
    assert least["memory"] == pytest.approx(8 * 2 / 4)
    assert least["file-system"] == pytest.approx(8 * 0.5e12 / 10e9)
    assert least["external"] == pytest.approx(180)
    assert least["overhead"] == pytest.approx(8 * 30 / 4)
    assert (told["wall"], told["unit"], told["bound"]) == (4, "sample", "FLOPs")
    assert told["targets"][0]["tasks_per_second"] == pytest.approx(10 / 1800)
    assert told["targets"][0]["reachable"] is True


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("case.toml", '"0.5 TB"', '"0.5"', ("case.toml", "tasks[0].system.file-system", "no unit")),
        ("case.toml", '"0.5 TB"', '"0.5 GB/s"', ("case.toml", "tasks[0].system.file-system", "bytes")),
        ("case.toml", "external =", "extrenal =", ("case.toml", "tasks[1].system", "extrenal", "external")),
        ("case.toml", "flops =", "pcie =", ("case.toml", "tasks[0].node", "pcie", "flops, memory")),
        ("case.toml", "parallel = 4", "parallel = 5", ("case.toml", "parallel", "holds 4")),
        ("case.toml", "parallel = 4", "parallel = 0", ("case.toml", "parallel")),
        ("case.toml", "count = 8", "count = -1", ("case.toml", "tasks[0].count")),
        ("case.toml", '"0.5 h"', '"-0.5 h"', ("case.toml", "target.makespan")),
        ("case.toml", "unit =", "unti =", ("case.toml", "unti", "unit")),
        ("case.toml", 'machine = "racks.toml"', 'machine = "rakcs"', ("case.toml", "machine", "perlmutter")),
        ("case.toml", "[[tasks]]", "[[tasks", ("case.toml", "line")),
        ("racks.toml", '"2 TFLOP/s"', '"0 TFLOP/s"', ("racks.toml", "node.flops", "above zero")),
        ("racks.toml", '"2 TFLOP/s"', '"-2 TFLOP/s"', ("racks.toml", "node.flops", "negative")),
        ("racks.toml", '"2 TFLOP/s"', '"2"', ("racks.toml", "node.flops", "no unit")),
        ("racks.toml", '"2 TFLOP/s"', "2", ("racks.toml", "node.flops")),
        ("racks.toml", "flops =", "flosp =", ("racks.toml", "flosp", "flops")),
        ("racks.toml", "nodes = 40", "nodes = 0", ("racks.toml", "nodes")),
        ("racks.toml", '"250 MB/s"', '"2 GB/s"', ("racks.toml", "system.external", "contended")),
    ],
)
def test_mistake_in_a_file_is_one_sentence_with_file_and_key(
    capsys: Output, folder: Path, file: str, old: str, new: str, said: tuple[str, ...]
) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))

    sentence = refused(capsys, "case.toml")

    assert all(word in sentence for word in said), sentence


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.toml"], ("nowhere.toml",)),
        (["case.toml", "--machine", "nowhere"], ("nowhere", "perlmutter-gpu")),
        (["case.toml", "--machine", "perlmutter-gpu"], ("Perlmutter GPU", "memory")),
        (["case.toml", "--makespan", "10"], ("--makespan", "no unit")),
        (["case.toml", "--makespan", "0 s"], ("--makespan", "above zero")),
        (["case.toml", "--throughput", "3 GB"], ("--throughput",)),
        (["case.toml", "--intra-task", "x0"], ("--intra-task", "x0")),
        (["case.toml", "--intra-task", "x100"], ("simulate", "40")),
        (["case.toml", "--faster", "node"], ("--faster", "node=10")),
        (["case.toml", "--faster", "nod=2"], ("nod", "node, system, flops, memory")),
        (["case.toml", "--faster", "node=1e-320"], ("--faster", "a millionth to a million", "1e-320")),
        (["case.toml", "--faster", "node=1e300"], ("--faster", "a millionth to a million", "1e300")),
        (["case.toml", "--faster", "node=nan"], ("--faster", "a millionth to a million", "nan")),
        (["case.toml", "--intra-task", "x1e7"], ("--intra-task", "a millionth to a million", "x1e7")),
        (["case.toml", "--view", "gantt"], ("--view says what --out draws: give --out FILE.",)),
        (["case.toml", "--view", "workflow", "--json"], ("--view says what --out draws: give --out FILE.",)),
        (["--cases", "--view", "tasks"], ("--view says what --out draws: give --out FILE.",)),
        (["case.toml", "other.toml"], ("case.toml", "alone")),
        (["a-run-that-is-not-there"], ("a-run-that-is-not-there",)),
    ],
)
def test_mistake_on_the_command_line_is_one_sentence(
    capsys: Output, arguments: list[str], said: tuple[str, ...]
) -> None:
    sentence = refused(capsys, *arguments)

    assert all(word in sentence for word in said), sentence


def test_another_machine_is_said_to_be_a_projection(capsys: Output, folder: Path) -> None:
    (folder / "fast.toml").write_text(MACHINE.replace("Two racks", "Fast").replace('"2 TF', '"20 TF'))

    assert cli(["roofline", "case.toml", "--machine", "fast.toml"]) == 0

    assert "Projected onto Fast" in capsys.readouterr().out


@pytest.mark.parametrize("view", ["workflow", "tasks", "gantt"])
def test_figure_of_each_view_is_written(capsys: Output, folder: Path, view: str) -> None:
    assert cli(["roofline", "case.toml", "--view", view, "--out", "figure.svg"]) == 0

    assert (folder / "figure.svg").read_text().lstrip().startswith("<?xml")


def test_figure_of_another_suffix_is_refused_before_anything_is_written(capsys: Output, folder: Path) -> None:
    assert cli(["roofline", "case.toml", "--out", "figure.gif"]) == 2

    assert not (folder / "figure.gif").exists()


def test_without_a_view_the_workflow_is_drawn(folder: Path) -> None:
    assert cli(["roofline", "case.toml", "--out", "plain.svg"]) == 0
    assert cli(["roofline", "case.toml", "--view", "workflow", "--out", "workflow.svg"]) == 0

    assert (folder / "plain.svg").read_bytes() == (folder / "workflow.svg").read_bytes()


@pytest.mark.parametrize("arguments", [["lcls-cori", "--json"], ["lcls-cori"], ["--cases"]])
def test_a_case_loads_no_heavy_library(arguments: list[str]) -> None:
    script = (
        f"from longpole.app.main import cli; import sys; cli({['roofline', *arguments]}); print(*sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.splitlines()[-1].split())
    assert "longpole.app.roofline" in loaded
    assert loaded.isdisjoint({"scipy", "matplotlib", "duckdb", "longpole.app.explaining"})
