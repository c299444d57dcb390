"""Traces are put into the run they were written in as a whole, once, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longpole.app.grafting import graft
from longpole.app.imports import CannotKeepRunError
from longpole.app.main import cli
from longpole.errors import UsageError
from longpole.exchange.rows import as_columns
from longpole.model.told import Told
from tests.builders import RUNNING, HandmadeRun
from tests.traces import PID, program, put, told, traced

Output = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path) -> HandmadeRun:
    made = HandmadeRun(tmp_path / "runs")
    with made.log() as log:
        program(log)
    return made


def test_a_trace_says_what_was_added(run: HandmadeRun) -> None:
    found = put(run, traced("aten::mm", 130, 140), traced("aten::add", 150, 160))

    assert found.sentence() == f"trace.json: 2 phases of process {PID}"
    assert found.facts() == {
        "file": "trace.json",
        "source": "PyTorch's profiler",
        "pids": [PID],
        "phases": 2,
    }
    assert "The trace has no event of a GPU." in found.gaps


def test_a_trace_is_added_once(run: HandmadeRun) -> None:
    put(run, traced("aten::mm", 130, 140))
    logs = run.logs()
    found = put(run, traced("aten::mm", 130, 140))

    assert (found.known, found.phases, run.logs()) == (True, 0, logs)
    assert found.sentence() == "trace.json is in this run already: nothing was added."


def test_one_trace_in_two_files_is_added_once(run: HandmadeRun) -> None:
    same = told(traced("aten::mm", 130, 140))
    first, second = graft({"a.json": same, "b.json": same}, run.path)

    assert (first.known, second.known) == (False, True)
    assert run.open().query("SELECT id FROM phases WHERE kind = 'operator'").rows == 1


def test_of_several_traces_all_or_none_are_added(run: HandmadeRun) -> None:
    fitting, strange = told(traced("aten::mm", 130, 140)), told(traced("aten::mm", 130, 140, pid=77))

    with pytest.raises(UsageError, match=r"b\.json is of process 77, which run 0badcafe did not record"):
        graft({"a.json": fitting, "b.json": strange}, run.path)
    assert len(run.logs()) == 1


def test_a_trace_of_another_time_is_refused(run: HandmadeRun) -> None:
    with pytest.raises(UsageError, match=r"is of process 101 at .* UTC; that of run 0badcafe did not run"):
        put(run, traced("aten::mm", 5000, 5010))


def test_nothing_is_added_to_a_run_that_goes_on(tmp_path: Path) -> None:
    run = HandmadeRun(tmp_path, **RUNNING)
    with run.log() as log:
        program(log)

    with pytest.raises(UsageError, match="0badcafe is still being recorded"):
        put(run, traced("aten::mm", 130, 140))


def test_nothing_is_added_to_a_run_that_was_not_recorded(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nothing was recorded in run 0badcafe"):
        put(HandmadeRun(tmp_path), traced("aten::mm", 130, 140))


def test_what_tells_of_no_process_is_refused(run: HandmadeRun) -> None:
    tasks = as_columns("tasks", [{"id": 1, "name": "a"}])

    with pytest.raises(UsageError, match=r"jobs\.txt does not tell the pids of its processes"):
        graft({"jobs.txt": Told("Slurm accounting", "jobs", {"tasks": tasks})}, run.path)


def test_a_run_that_cannot_be_written_to_is_as_it_was(
    run: HandmadeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = told(traced("aten::mm", 130, 140)), told(traced("aten::mm", 150, 160))
    calls: list[int] = []

    def full(*_: object) -> str:
        if calls:
            raise OSError(28, "No space left on device")
        calls.append((run.path / "log" / "half").write_bytes(b""))
        return str(run.path / "log" / "half")

    monkeypatch.setattr("longpole.app.grafting.write_log", full)
    with pytest.raises(CannotKeepRunError, match="No space left on device"):
        graft({"a.json": one, "b.json": two}, run.path)
    assert len(run.logs()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--slurm", "4711"], "--into takes traces, and no --slurm"),
        (["trace.json", "--name", "x"], "--into takes traces, and no --slurm"),
        (["."], "--into takes files"),
        ([], "--into takes files"),
    ],
)
def test_what_cannot_go_into_a_run_is_refused(
    run: HandmadeRun, capsys: Output, options: list[str], said: str
) -> None:
    assert cli(["import", *options, "--into", str(run.path)]) == 2
    assert said in capsys.readouterr().err


def test_the_command_tells_what_it_did_as_json(run: HandmadeRun, tmp_path: Path, capsys: Output) -> None:
    event = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": PID, "tid": 1, "ts": 130000, "dur": 1}
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"baseTimeNanoseconds": 1_790_000_000_000_000_000, "traceEvents": [event]}))

    assert cli(["import", str(file), "--into", str(run.path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["run"], facts["traces"][0]["phases"]) == ("0badcafe", 1)
    assert "The trace has no event of a GPU." in facts["gaps"]
