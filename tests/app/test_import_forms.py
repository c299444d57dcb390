"""``longpole import`` of what other systems wrote: recognised, made a run, shown, asked and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longpole.app.main import cli
from tests.exchange import sparklog, stampede

TRACE = """\
task_id\thash\tname\tstatus\texit\tsubmit\tduration\trealtime\t%cpu\tpeak_rss
1\taa/1\talign (a)\tFAILED\t137\t1000000\t8s\t5s\t50%\t2 MB
2\taa/2\talign (a)\tCOMPLETED\t0\t1010000\t10s\t5s\t100%\t4 MB
3\taa/3\tsort (a)\tCACHED\t0\t1000\t10s\t5s\t100%\t4 MB
"""
FILES = {
    "trace.txt": TRACE.encode(),
    "wf.stampede.db": stampede.database(),
    "local-17": sparklog.log().encode(),
}
# Of each file: who told, tasks, tries and failed tries by type, and the length of the run.
EXPECTED = {
    "trace.txt": ("Nextflow", {"align": (1, 2, 1), "sort": (1, 0, 0)}, 20.0),
    "wf.stampede.db": ("Pegasus", {"stage_in": (1, 1, 0), "fit": (1, 1, 0)}, 60.0),
    "local-17": ("Spark", {"map at x.py:0": (2, 2, 0), "map at x.py:1": (1, 1, 0)}, 0.5),
}


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    path = tmp_path / str(request.param)
    path.write_bytes(FILES[path.name])
    return path


def test_file_is_recognised_and_its_run_has_its_tasks(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, tasks, length = EXPECTED[file.name]
    assert cli(["import", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == source

    assert cli(["show", "--json"]) == 0
    overview = json.loads(capsys.readouterr().out)
    found = {task["type"]: (task["tasks"], task["attempts"], task["failed"]) for task in overview["tasks"]}
    assert found == tasks
    assert overview["makespan_s"] == length


def test_run_is_shown_and_drawn(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli(["import", str(file)])
    assert cli(["show"]) == 0
    assert f"as told by {EXPECTED[file.name][0]}" in capsys.readouterr().out

    assert cli(["export", "--to", "perfetto", "--out", str(file.parent / "trace"), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["written"]["phases"] > 0


def test_edges_between_stages_can_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    (tmp_path / "log").write_text(sparklog.log())
    cli(["import", str(tmp_path / "log")])
    capsys.readouterr()

    named = "FROM edges JOIN phases b ON from_phase = b.id JOIN phases a ON to_phase = a.id"
    assert cli(["query", "latest", f"SELECT b.name AS b, a.name AS a, bytes {named}", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows == [{"b": "map at x.py:0", "a": "map at x.py:1", "bytes": 800}]
