"""``longpole table`` as its user meets it: any runs, any form, and a clear word where that cannot be."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.app.tables import table_of_runs
from longpole.model.result_table import Gap, Like, ResultTable
from tests.analyse.tables.results import cell
from tests.app.conftest import Call
from tests.app.test_run_tiles import STATIC, lay_out
from tests.builders import HandmadeLog, HandmadeRun, part, small_run, workflow_run
from tests.exchange.foreign import real_trace
from tests.recording import Someone
from tests.running import Bench, bench_of


def _table(*runs: HandmadeRun, like: Like = Like.PLAIN) -> ResultTable:
    found, damage = table_of_runs([str(run.path) for run in runs], like)
    assert damage is None
    return found


# ------------------------------------------------------------------------------------ made by hand


def test_a_workflow_has_a_row_for_each_type_of_task_and_one_for_the_whole(tmp_path: Path):
    table = _table(workflow_run(tmp_path))

    assert [row.name for row in table.rows] == ["score", "cut", "total", "whole run"]
    assert cell(table, "score", "jobs") == (2.0, None)
    assert cell(table, "score", "time_s")[0] == pytest.approx(0.160 + 0.290 + 0.370)
    assert cell(table, "score", "cpu_percent")[0] == pytest.approx(50.0)
    assert cell(table, "cut", "cpu_percent")[0] == pytest.approx(100 * 0.095 / 0.180)
    assert cell(table, "cut", "peak_memory_bytes")[0] == 2048 * 1024
    assert cell(table, "cut", "written_bytes")[0] == 100
    assert "Attempts beyond the first count as well: 1." in table.notes


def test_the_table_of_jobs_agrees_with_that_of_workflows(tmp_path: Path):
    run = workflow_run(tmp_path)
    jobs, workflows = _table(run, like=Like.III), _table(run, like=Like.IV)

    read = sum(float(cell(jobs, row.name, "read_bytes")[0] or 0) for row in jobs.rows)

    assert cell(workflows, "tiles, baseline", "read_bytes")[0] == read > 0


def test_hours_are_those_that_jobs_were_given_cores_for(tmp_path: Path):
    """Cut has a core for 240 ms, scores for 180, 310 and 395 ms, total has two for 175 ms."""
    table = _table(workflow_run(tmp_path), like=Like.IV)

    held_s = 0.240 + 0.180 + 0.310 + 0.395 + 2 * 0.175
    assert cell(table, "tiles, baseline", "cpu_h")[0] == pytest.approx(held_s / 3600)
    assert cell(table, "tiles, baseline", "gpu_h")[0] == 0.0


def test_a_cluster_has_all_that_its_driver_said_it_gets(tmp_path: Path):
    run = HandmadeRun(tmp_path, joint=True)
    with run.driver() as driver:
        driver.note("group", id=9, label="all", cores=4, gpus=2)
        for number in (1, 2):
            driver.task(number, "work", job=9)
        driver.start(9, 0)
        execs = [part("exec", 10 + 20 * one, 30 + 20 * one, task=one) for one in (1, 2)]
        driver.finish_job(9, 360, part("stage_in", 0, 20, bytes=7, count=3, name="http"), *execs)
        driver.note("outline", jobs=1, auxiliary=4, staged_in=28_803, connections=24, images=0)
        driver.end_well(400)

    whole, placed = _table(run, like=Like.IV), _table(run, like=Like.II)

    assert cell(whole, "tiles, baseline", "cpu_h")[0] == pytest.approx(4 * 0.360 / 3600)
    assert cell(whole, "tiles, baseline", "gpu_h")[0] == pytest.approx(2 * 0.360 / 3600)
    counts = ("jobs", "connections", "files_staged_in", "files_brought", "bytes_brought", "files_sent")
    assert [cell(placed, "baseline", name)[0] for name in counts] == [1, 24, 28_803, 3, 7, 0]


def test_repeats_have_their_mean_and_deviation(tmp_path: Path):
    runs = [workflow_run(tmp_path, identity=f"{at:08x}") for at in range(3)]

    table = _table(*runs, like=Like.III)

    assert cell(table, "cut", "n") == (3.0, None)
    assert len(table.runs) == 3


def test_a_run_that_is_named_twice_counts_once(tmp_path: Path):
    run = workflow_run(tmp_path)

    assert len(_table(run, run).runs) == 1


def test_several_settings_have_a_row_each(tmp_path: Path):
    table = _table(workflow_run(tmp_path), small_run(tmp_path, identity="00000001", name="small"))

    assert [row.name for row in table.rows] == ["tiles, baseline", "small"]
    assert cell(table, "small", "end_to_end_s")[0] == pytest.approx(1.0)
    said = "'longpole record' sees nothing of staging, 'longpole run' does"
    assert Gap(("stage in", "stage out"), said) in table.gaps


def test_models_are_found_by_marks_that_hold_trials_and_epochs(tmp_path: Path):
    run = HandmadeRun(tmp_path)
    said = json.dumps(
        {"model": "VGG16", "parameters": 31_600_000, "model_bytes": 126_400_000, "batch_size": 32}
    )
    with run.log() as log:
        log.launcher()
        log.process(1, start=0)
        log.ring(2, 1)
        log.phase(2, 1, "search", (0, 500), attributes=said)
        for number in (2, 3):
            log.phase(2, number, f"trial {number}", (0, 200), kind="trial", parent=1)
            for epoch in range(number):
                log.phase(2, 10 * number + epoch, "epoch", (0, 50), kind="epoch", parent=number)
        log.phase(2, 4, "train", (500, 900), attributes=said)
        log.phase(2, 40, "epoch", (500, 600), kind="epoch", parent=4)
        log.finish(101, 0, 1000)
        log.note("ended", at=1001)

    table = _table(run, like=Like.I)

    assert [(row.name, *(figure.value for figure in row.figures)) for row in table.rows] == [
        ("VGG16", "search", 126_400_000, 31_600_000, 2, 3, 32),
        ("VGG16", "train", 126_400_000, 31_600_000, None, 1, 32),
    ]


def test_epochs_belong_to_the_trial_that_was_asked_for_before_and_told_after_them(tmp_path: Path):
    run = HandmadeRun(tmp_path)
    with run.log() as log:
        log.launcher()
        log.process(1, start=0)
        log.ring(2, 1)
        for number, begin in ((1, 0), (2, 400)):
            log.phase(2, number, f"trial {number}", (begin, begin + 350), kind="trial")
            for epoch in range(1 + number):
                times = (begin + 100 * epoch, begin + 90 + 100 * epoch)
                log.phase(2, 10 * number + epoch, "epoch", times, kind="epoch", attributes='{"model": "Net"}')
        log.phase(2, 40, "epoch", (800, 900), kind="epoch", attributes='{"model": "Net"}')
        log.phase(2, 41, "epoch", (900, 901), kind="epoch", attributes='{"steps": 0}')
        log.finish(101, 0, 1000)
        log.note("ended", at=1_001_000_000)

    table = _table(run, like=Like.I)

    assert [cell(table, "Net", name)[0] for name in ("trials", "epochs")] == [2, 3]


def _gpu(log: HandmadeLog, *readings: tuple[float, float, float, float]) -> None:
    """Write readings of one GPU, of this run alone: begin, end, how busy, how much memory."""
    fields = [
        ["busy", "fraction"],
        ["memory busy", "fraction"],
        ["memory used", "bytes"],
        ["processes", "count"],
    ]
    log.note("resource", number=1001, kind="gpu", name="H200 #0", fields=fields, capacity=1e11, scope="tree")
    for start, end, busy, memory in readings:
        log.gauge(1001, start, end, busy, 0.0, memory, 1.0)


def test_gpus_are_those_of_the_tasks_that_were_given_one(tmp_path: Path):
    """The GPU is busy for 240 of the 400 ms of train, and for 100 ms more when nothing has it."""
    run = HandmadeRun(tmp_path, joint=True)
    with run.log() as log:
        _gpu(log, (0, 100, 0.0, 1e9), (100, 500, 0.6, 4e9), (500, 600, 1.0, 2e9), (600, 1000, 0.0, 2e9))
        log.note("ended", at=1_001_000_000)
    with run.driver() as driver:
        driver.task(1, "train", resources=(1, -1, 1, 1, 1))
        driver.task(2, "cut")
        for number, start, end in ((1, 100, 500), (2, 100, 900)):
            driver.start(number, start)
            driver.finish_job(number, end, part("exec", start, end))
        driver.end_well(1000)

    jobs, whole = _table(run, like=Like.III), _table(run, like=Like.IV)

    assert cell(jobs, "train", "gpu_percent")[0] == pytest.approx(60.0)
    assert cell(jobs, "train", "peak_gpu_memory_bytes")[0] == 4e9
    assert cell(jobs, "cut", "gpu_percent") == (None, None)
    assert Gap(("GPU %", "GPU mem"), "no GPU was assigned to it") in jobs.gaps
    assert cell(whole, "tiles, baseline", "gpu_h")[0] == pytest.approx(0.4 / 3600)


def test_a_command_has_the_gpu_that_it_used(tmp_path: Path):
    run = HandmadeRun(tmp_path)
    with run.log() as log:
        log.launcher()
        log.process(1, start=0)
        _gpu(log, (0, 500, 0.2, 1e9), (500, 1000, 0.8, 3e9))
        log.finish(101, 0, 1000)
        log.note("ended", at=1_001_000_000)

    table = _table(run)

    assert cell(table, "made", "gpu_percent")[0] == pytest.approx(50.0)
    assert cell(table, "made", "peak_gpu_memory_bytes")[0] == 3e9


def test_a_run_of_which_nothing_is_known_gives_a_table_of_reasons(tmp_path: Path):
    run = HandmadeRun(tmp_path, makespan_s=None)
    with run.log():
        pass

    for like in Like:
        table = _table(run, like=like)
        missing = [each for row in table.rows for each in row.figures if each.value is None]
        assert not missing or table.gaps


@pytest.mark.parametrize("attributes", ["{", "[1]", '{"model": [1], "parameters": "x", "batch_size": {}}'])
def test_odd_attributes_of_a_mark_stop_no_table(tmp_path: Path, attributes: str):
    run = HandmadeRun(tmp_path)
    with run.log() as log:
        log.launcher()
        log.process(1, start=0)
        log.ring(2, 1)
        log.phase(2, 1, "odd", (0, 500), attributes=attributes)
        log.finish(101, 0, 1000)
        log.note("ended", at=1001)

    for like in Like:
        assert _table(run, like=like).like is like


# ------------------------------------------------------------------------------------ as a command


def _call(someone: Someone, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        someone.command("table", *arguments),
        capture_output=True,
        text=True,
        env=someone.environment({"COLUMNS": "80"}),
        check=False,
        timeout=60,
    )


def test_a_recorded_command_has_a_sensible_table(recorded: Someone):
    done = _call(recorded, "latest:work")

    assert done.returncode == 0, done.stderr
    assert "CPU %" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("form", "like"), [("text", "I"), ("markdown", "II"), ("latex", "III"), ("csv", "IV")]
)
def test_tables_can_be_written_in_every_form(recorded: Someone, form: str, like: str):
    done = _call(recorded, "latest:work", "--like", like, "--format", form)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_json_has_numbers_units_and_reasons(recorded: Someone):
    done = _call(recorded, "latest:work", "--like", "III", "--json")

    found = json.loads(done.stdout)
    assert (found["schema_version"], found["like"]) == (1, "III")
    units = {column["name"]: column["unit"] for column in found["columns"]}
    assert units["read_bytes"] == "bytes"
    assert all(set(row["values"]) == set(units) for row in found["rows"])
    assert all(gap["reason"] for gap in found["missing"])


def test_csv_can_be_read(recorded: Someone):
    done = _call(recorded, "latest:work", "--format", "csv")

    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert all(float(row["time (s)"]) > 0 for row in rows)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nosuchrun"], "No run 'nosuchrun'"),
        (["--like", "V"], "'V' is not one of"),
        (["--format", "csv", "--json"], "Give --json or --format, not both."),
    ],
)
def test_what_cannot_be_is_one_sentence(recorded: Someone, arguments: list[str], said: str):
    done = _call(recorded, *arguments)

    assert done.returncode != 0
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_damaged_run_is_shown_as_far_as_it_is_intact(call: Call, tmp_path: Path):
    run = small_run(tmp_path)
    [log] = run.logs()
    log.write_bytes(log.read_bytes()[:-20])

    done = call("table", str(run.path))

    assert done.returncode == 3
    assert "whole run" in done.stdout or "made" in done.stdout
    assert "damaged" in done.stderr


def test_a_run_that_cannot_be_read_leaves_the_others_their_table(call: Call, tmp_path: Path):
    lost = small_run(tmp_path, identity="00000001")
    lost.logs()[0].write_bytes(b"of something else")
    whole = small_run(tmp_path, identity="00000002")

    done = call("table", str(lost.path), str(whole.path))

    assert done.returncode == 3
    assert " made         1  1.00 s" in done.stdout
    assert f"{lost.logs()[0]} is not a log of Longpole" in done.stderr
    alone = call("table", str(lost.path))
    assert (alone.returncode, alone.stdout) == (3, "")


# ------------------------------------------------------------------------------------ real runs


@pytest.fixture(scope="module")
def tiles() -> Iterator[Bench]:
    """A bench on which a workflow of three tiles ran under two placements, and again under one."""
    with bench_of(nobody=False) as bench:
        for at, placement in enumerate(("baseline", "baseline", "clustering")):
            file = lay_out(bench, ("a", "b", "c"), f"at{at}")
            bench.run(file, "--placement", placement, "--work", f"work{at}")
        yield bench


def _real(bench: Bench, like: Like) -> ResultTable:
    found, damage = table_of_runs([str(path) for path in bench.runs()], like)
    assert damage is None
    return found


def test_real_runs_are_counted_by_the_rule_though_tiles_were_not_known_before(tiles: Bench):
    """Baseline: cut has its picture and code, scores a tile each, total three scores.

    In one cluster only the picture and the code come in.
    """
    table = _real(tiles, Like.II)

    assert cell(table, "baseline", "n") == (2.0, None)
    assert [cell(table, "baseline", name)[0] for name in ("jobs", "auxiliary_jobs")] == [5, 8]
    assert [cell(table, "clustering", name)[0] for name in ("jobs", "auxiliary_jobs")] == [1, 4]
    assert cell(table, "baseline", "files_staged_in")[0] == 2 + 3 + 3
    assert cell(table, "clustering", "files_staged_in")[0] == 2
    assert cell(table, "baseline", "files_brought")[0] == cell(table, "baseline", "files_staged_in")[0]


@pytest.mark.parametrize("placement", ["baseline", "shared-fs"])
def test_a_run_is_what_its_plan_said(placement: str):
    with bench_of(nobody=False) as bench:
        for name in ("aa", "ab", "ac", "all"):
            bench.write(f"raw/{name}.txt", name)
        bench.write("twice.sh", 'cat "$1" "$1"')
        bench.write("static.yaml", STATIC)
        told = bench.json("plan", "static.yaml", "--placement", placement)
        bench.run("static.yaml", "--placement", placement)

        table = _real(bench, Like.II)

    counts = ("jobs", "auxiliary_jobs", "files_staged_in")
    assert [cell(table, placement, name)[0] for name in counts] == [told[name] for name in counts]
    moved = [cell(table, placement, name)[0] or 0 for name in ("files_brought", "files_sent")]
    assert moved == [told["brought"]["files"], told["sent"]["files"]]


def test_real_runs_have_their_inputs_and_hours(tiles: Bench):
    table = _real(tiles, Like.IV)

    for row in ("tiles, baseline", "tiles, clustering"):
        assert cell(table, row, "input_files")[0] == 1
        assert cell(table, row, "input_bytes")[0] == len("a\nb\nc\n")
        assert float(cell(table, row, "cpu_h")[0] or 0) > 0
        assert cell(table, row, "gpu_h")[0] == 0


def test_the_times_of_real_runs_add_up(tiles: Bench):
    table, jobs = _real(tiles, Like.PLAIN), _real(tiles, Like.III)

    for row in ("tiles, baseline", "tiles, clustering"):
        of_jobs = [float(each.figures[-1].value or 0) for each in jobs.rows if each.section == row]
        assert cell(table, row, "compute_s")[0] == pytest.approx(sum(of_jobs))
        assert float(cell(table, row, "stage_in_s")[0] or 0) > 0


@pytest.mark.parametrize(
    "name", ["pegasus/process_wf_failure.stampede.db", "wfformat/montage-chameleon-2mass-005d-001.json"]
)
def test_what_other_systems_recorded_has_every_table(call: Call, tmp_path: Path, name: str):
    done = call("import", real_trace(name).path, "--runs", str(tmp_path))
    assert done.returncode == 0, done.stderr
    [run] = tmp_path.iterdir()

    for like in Like:
        table, _ = table_of_runs([str(run)], like)
        assert table.runs
        assert all(gap.reason for gap in table.gaps)
