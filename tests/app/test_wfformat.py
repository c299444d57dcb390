"""WfFormat through the command line: imported, stored, shown, exported, and imported again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longpole.app.exports import export_wfformat
from longpole.app.imports import keep
from longpole.app.main import cli
from longpole.exchange.opening import opened
from longpole.exchange.sacct import read_sacct
from longpole.exchange.wfformat import WFFORMAT
from longpole.model.told import Told, Wishes
from longpole.store.run import open_run
from tests.builders import small_run
from tests.exchange.foreign import real_trace
from tests.exchange.wfformat_instances import REAL, document, rows, told, told_of, truth, validate

Capture = pytest.CaptureFixture[str]
JOBS = """\
JobID|JobName|State|Submit|Start|End|UserCPU|MaxRSS|AllocCPUS|SubmitLine
1|prepare|COMPLETED|1000|1001|1011|00:08.000||1|sbatch prepare.sh
2_1|train me|COMPLETED|1000|1015|1115|01:30.000||2|sbatch --dependency=afterok:1 t.sh
2_2|train me|FAILED|1000|1020|1030|00:05.000||2|sbatch --dependency=afterok:1 t.sh
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def exported(tale: Told, folder: Path) -> Path:
    """Return where a run of what was told is written as WfFormat."""
    with open_run(keep(tale, folder / "runs")) as run:
        export_wfformat(run, folder / "again.json", force=True)
    return folder / "again.json"


def read(path: Path) -> Told:
    with opened([str(path)]) as files:
        return WFFORMAT.read(files, Wishes())


def tables(tale: Told) -> dict[str, Any]:
    return {name: rows(tale, name) for name in tale.tables}


@pytest.mark.parametrize("name", REAL)
def test_real_instance_survives_a_run(name: str, tmp_path: Path) -> None:
    first = told_of(name)

    path = exported(first, tmp_path)

    validate(json.loads(path.read_text()))
    second = read(path)
    assert tables(second) == tables(first)
    assert (second.name, second.source, second.gaps) == (first.name, first.source, first.gaps)


def test_stored_tables_are_as_told(tmp_path: Path) -> None:
    tale = told_of("montage-chameleon-2mass-005d-001")

    with open_run(keep(tale, tmp_path)) as run:
        for name in ("tasks", "edges", "files", "opens", "hosts"):
            columns = list(tale.tables[name])
            assert list(run.table(name, columns).records()) == rows(tale, name)
        [whole] = run.query("SELECT duration_ns FROM phases WHERE kind = 'workflow'").records()
    assert whole["duration_ns"] == 1_060_000_000_000


def test_imported_instance_is_shown_with_its_makespan(runs: Path, capsys: Capture) -> None:
    file = real_trace("wfformat/montage-chameleon-2mass-005d-001.json")

    assert cli(["import", file.path]) == 0
    said = capsys.readouterr()
    assert "58 tasks, 59 phases, 114 edges, 111 files" in said.out
    assert "only DAG bounds can be given" in said.err

    assert cli(["show", "--json"]) == 0
    overview = json.loads(capsys.readouterr().out)
    assert overview["makespan_s"] == truth("montage-chameleon-2mass-005d-001")["makespan_recorded_s"]
    assert {use["type"] for use in overview["tasks"]} >= {"mProject", "mDiffFit", "mBackground"}
    assert overview["phases"] == []

    assert cli(["show"]) == 0
    assert "a WfFormat instance of Pegasus" in capsys.readouterr().out


def test_instance_is_exported_and_imported_by_commands(runs: Path, tmp_path: Path, capsys: Capture) -> None:
    made = tmp_path / "made.json"
    made.write_text(json.dumps(document({"a": [], "b": ["a"]})))
    assert cli(["import", str(made), "--format", "wfformat"]) == 0
    capsys.readouterr()

    assert cli(["export", "--format", "wfformat", "-o", str(tmp_path / "out.json"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["written"] == {"tasks": 2, "edges": 1, "files": 0, "files_renamed": 0}
    assert tables(read(tmp_path / "out.json")) == tables(told(document({"a": [], "b": ["a"]})))


def test_jobs_of_slurm_are_written_as_a_workflow(tmp_path: Path) -> None:
    path = exported(read_sacct([JOBS], name="night"), tmp_path)

    validate(json.loads(path.read_text()))
    again = read(path)
    found = [(row["name"], row["type"]) for row in rows(again, "tasks")]
    assert found == [("prepare", "prepare"), ("train me", "train me"), ("train me", "train me")]
    assert len(rows(again, "edges")) == 2
    ran = {row["task"]: (row["start_ns"], row["duration_ns"]) for row in rows(again, "phases") if row["task"]}
    assert ran[1] == (1001 * 10**9, 10 * 10**9)
    cpu = [row["value"] for row in rows(again, "totals") if row["metric"] == "cpu_user_ns"]
    assert cpu == [8e9, 90e9, 5e9]


def test_run_without_tasks_gets_a_sentence(tmp_path: Path, capsys: Capture) -> None:
    small_run(tmp_path / "runs")
    target = tmp_path / "out.json"

    code = cli(["export", "--to", "wfformat", "--out", str(target), "--runs", str(tmp_path / "runs")])

    assert code == 2
    assert "has no tasks" in capsys.readouterr().err
    assert not target.exists()


def test_file_that_cannot_be_read_is_exit_code_3(runs: Path, tmp_path: Path, capsys: Capture) -> None:
    made = document({"a": ["b"], "b": ["a"]})
    (tmp_path / "round.json").write_text(json.dumps(made))

    assert cli(["import", str(tmp_path / "round.json")]) == 3
    said = capsys.readouterr().err
    assert "round.json: its tasks depend on each other in a circle: 'a', 'b'." in said.replace(
        "'b', 'a'", "'a', 'b'"
    )
    assert not runs.exists()
