"""``longpole explain`` of runs that are damaged, hostile or nearly empty: an answer or a sentence."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from longpole.app.imports import keep
from longpole.app.main import cli
from longpole.exchange.rows import as_columns
from longpole.model.told import Told
from tests.builders import HandmadeRun, small_run

Output = pytest.CaptureFixture[str]
Rows = dict[str, list[dict[str, Any]]]
WAYS: tuple[list[str], ...] = ([], ["--json"], ["--all", "--timeline"], ["--why", "a"])
MOST = (1 << 62) - 1


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path))
    return tmp_path


def explain(capsys: Output, *options: str) -> tuple[int, str]:
    """Explain the latest run; return the exit code and what was said, one sentence if it failed."""
    code = cli(["explain", *options])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert "unforeseen" not in err
    assert "failed: " not in out, out
    if code:
        assert code in (2, 3)
        assert err.startswith("longpole: ")
        assert err.count("\n") == 1
    return code, out + err


def phase(number: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    known = {
        "id": number,
        "kind": "exec",
        "name": "a",
        "count": 1,
        "status": "ok",
        "duration_ns": end - start,
    }
    return {**known, "start_ns": start, "end_ns": end, **more}


HOSTILE: dict[str, Rows] = {
    "no phases": {"tasks": [{"id": 1, "name": "a", "type": "a", "outcome": "ran"}]},
    "nothing": {"hosts": [{"id": 1, "name": "n1"}]},
    "one moment": {"phases": [phase(1, 5, 5)]},
    "parents in a circle": {"phases": [phase(1, 0, 9, parent=2), phase(2, 0, 9, parent=1)]},
    "own parent": {"phases": [phase(1, 0, 9, parent=1)]},
    "parent that is not there": {"phases": [phase(1, 0, 9, parent=77)]},
    "end before start": {"phases": [phase(1, 9, 0), phase(2, 0, 5)]},
    "before 1970": {"phases": [phase(1, -MOST, -5), phase(2, -9, 5)]},
    "of a century": {"phases": [phase(1, 0, MOST // 2), phase(2, 0, MOST // 2)]},
    "same ids": {"phases": [phase(1, 0, 9), phase(1, 3, 7)]},
    "task that is not there": {"phases": [phase(1, 0, 9, task=10**18)]},
    "edges to nowhere": {
        "phases": [phase(1, 0, 9, task=1)],
        "tasks": [{"id": 1, "name": "a", "type": "a", "outcome": "ran"}],
        "edges": [{"id": 1, "kind": "data", "from_task": 1, "to_task": 99}],
    },
    "values that are no numbers": {
        "phases": [phase(1, 0, 9)],
        "totals": [{"scope": "run", "owner": None, "metric": "cpu user", "value": float("nan")}],
        "resources": [{"id": 1, "kind": "gpu", "name": "g", "metric": "busy", "capacity": float("inf")}],
        "samples": [
            {"resource": 1, "scope": "host", "start_ns": 0, "end_ns": 9, "value": float("nan")},
            {"resource": 1, "scope": "device", "start_ns": 9, "end_ns": 0, "value": float("-inf")},
        ],
    },
    "names that a terminal obeys": {"phases": [phase(1, 0, 10**9, name="\x1b[2J" + "x" * 100_000)]},
}


@pytest.mark.parametrize("rows", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("options", WAYS, ids=" ".join)
def test_a_hostile_run_is_explained_or_refused_in_a_sentence(
    runs: Path, capsys: Output, rows: Rows, options: list[str]
) -> None:
    keep(Told("somebody", "odd", {table: as_columns(table, some) for table, some in rows.items()}), runs)

    _, said = explain(capsys, *options)

    assert said
    assert "\x1b[2J" not in said


def test_tasks_in_a_circle_are_refused_with_their_names(runs: Path, capsys: Output) -> None:
    tasks = [{"id": at, "name": f"t{at}", "type": "t", "outcome": "ran"} for at in (1, 2)]
    edges = [{"id": at, "kind": "data", "from_task": at, "to_task": 3 - at} for at in (1, 2)]
    rows = {"tasks": tasks, "edges": edges, "phases": [phase(1, 0, 9, task=1)]}
    keep(Told("somebody", "odd", {table: as_columns(table, some) for table, some in rows.items()}), runs)

    code, said = explain(capsys)

    assert code == 3
    assert "in a cycle of 2: 't1' -> 't2'" in said or "in a cycle of 2: 't2' -> 't1'" in said


def test_a_run_without_anything_is_explained_as_such(runs: Path, capsys: Output) -> None:
    HandmadeRun(runs).log().flush()

    for options in WAYS[:-1]:
        code, said = explain(capsys, *options)
        assert code == 0
        assert said


@pytest.mark.parametrize("seed", range(12))
def test_a_run_with_wrong_bytes_is_explained_or_refused_in_a_sentence(
    runs: Path, capsys: Output, seed: int
) -> None:
    run, chance = small_run(runs), random.Random(seed)
    [log] = run.logs()
    content = bytearray(log.read_bytes())
    for _ in range(chance.choice((1, 10, 100))):
        content[chance.randrange(len(content))] = chance.randrange(256)
    log.write_bytes(content[: chance.randrange(len(content)) if seed % 3 == 0 else None])

    explain(capsys)
    explain(capsys, "--json")


@pytest.mark.parametrize(
    "manifest", ["", "{", "[]", "null", json.dumps({"schema_version": 10**30}), "\0" * 99]
)
def test_a_run_with_a_wrong_manifest_is_explained_by_its_log(
    runs: Path, capsys: Output, manifest: str
) -> None:
    run = small_run(runs)
    (run.path / "run.json").write_text(manifest)

    _, said = explain(capsys, str(run.path))

    assert said


def test_a_run_whose_log_is_gone_is_told_in_a_sentence(runs: Path, capsys: Output) -> None:
    run = small_run(runs)
    for log in run.logs():
        log.unlink()

    _, said = explain(capsys)

    assert said
