"""``longpole import`` of traces: recognised, made a run, and shown and exported like any other."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from longpole.app.main import cli
from tests.exchange.events import small, trace

Output = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    for rank in (0, 1):
        (tmp_path / f"rank-{rank}.json.gz").write_bytes(gzip.compress(trace(*small()).content))
    (tmp_path / "chrome.json").write_text(
        '[{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 2, "name": "load"},'
    )
    return tmp_path


def imported(capsys: Output, *arguments: str) -> dict[str, Any]:
    assert cli(["import", "--json", *arguments]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_packed_ranks_become_one_run(folder: Path, capsys: Output) -> None:
    facts = imported(capsys, *(str(folder / f"rank-{rank}.json.gz") for rank in (0, 1)))

    assert facts["source"] == "PyTorch's profiler"
    assert (facts["rows"]["phases"], facts["rows"]["edges"], facts["rows"]["processes"]) == (18, 4, 2)
    assert cli(["query", facts["run"], "SELECT rank FROM processes ORDER BY rank", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"rank": 0}, {"rank": 1}]


def test_the_run_of_a_trace_is_shown_and_exported(folder: Path, capsys: Output) -> None:
    imported(capsys, str(folder / "rank-0.json.gz"))

    assert cli(["show"]) == 0
    shown = capsys.readouterr().out
    assert "PyTorch's profiler" in shown
    assert "ProfilerStep" in shown
    target = str(folder / "out.perfetto")
    assert cli(["export", "latest", "--to", "perfetto", "--out", target]) == 0


def test_profiler_steps_are_shown_together(folder: Path, capsys: Output) -> None:
    imported(capsys, str(folder / "rank-0.json.gz"))

    assert cli(["show", "--json"]) == 0
    [steps] = json.loads(capsys.readouterr().out)["steps"]
    assert (steps["name"], steps["count"], steps["rank"]) == ("ProfilerStep", 2, 0)
    assert (steps["mean_s"], steps["data_s"]) == pytest.approx((100e-6, 20e-6))


def test_other_traces_are_those_of_chrome(folder: Path, capsys: Output) -> None:
    facts = imported(capsys, str(folder / "chrome.json"))

    assert (facts["source"], facts["rows"]["phases"]) == ("a Chrome trace", 2)


def test_a_form_can_be_said(folder: Path, capsys: Output) -> None:
    facts = imported(capsys, str(folder / "rank-0.json.gz"), "--format", "chrome")

    assert facts["source"] == "a Chrome trace"


def test_a_packed_trace_that_is_cut_off_is_refused(folder: Path, capsys: Output) -> None:
    whole = (folder / "rank-0.json.gz").read_bytes()
    (folder / "cut.json.gz").write_bytes(whole[: len(whole) // 2])

    assert cli(["import", str(folder / "cut.json.gz")]) == 3
    assert "cut.json.gz is damaged or cut off" in capsys.readouterr().err
    assert not (folder / "runs").exists()
