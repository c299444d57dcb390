"""Tasks in a trace: what Perfetto finds there is what the run's tables say."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run
from tests.app.drawn import Ask, S, counts_of, drawn, phase, rows, told, told_by_slurm, told_by_snakemake
from tests.recording import Someone

LANES = "select id as lane_id, name as lane, parent_id as group_id from track"
ABOVE = "select id as above_id, category as above, ts as above_ts, dur as above_dur from slice"


def check_amounts(run: StoredRun, ask: Ask) -> None:
    """Of each kind there are as many slices as phases, and they last as long."""
    found = ask("select category, count(*) as n, sum(dur) as d from slice where dur >= 0 group by category")
    ours = "SELECT kind, count(*) AS n, sum(duration_ns)::BIGINT AS d FROM phases"
    assert sorted(found) == rows(run, f"{ours} WHERE end_ns IS NOT NULL GROUP BY kind ORDER BY kind")


def check_lanes(ask: Ask) -> None:
    """In no lane do two slices overlap, unless one is part of the other."""
    found = ask("select track_id, depth, ts, dur from slice order by track_id, depth, ts, slice.id")
    for (track, depth, ts, dur), following in pairwise(found):
        if (track, depth) == following[:2]:
            assert dur >= 0
            assert ts + dur <= following[2]


@pytest.fixture
def slurm_run(tmp_path: Path) -> Iterator[StoredRun]:
    with told_by_slurm(tmp_path) as run:
        yield run


def test_a_run_of_nothing_but_tasks_is_drawn_whole(slurm_run: StoredRun, tmp_path: Path) -> None:
    with drawn(slurm_run, tmp_path) as ask:
        check_amounts(slurm_run, ask)
        check_lanes(ask)
        [(begin, end)] = ask("select min(ts) as begin, max(ts + dur) as end from slice where dur >= 0")

    assert (begin, end) == (1000 * S, 1115 * S)
    assert counts_of(slurm_run).left_out == 0


def test_a_workflow_of_snakemake_is_drawn_whole(tmp_path: Path) -> None:
    with told_by_snakemake(tmp_path) as run, drawn(run, tmp_path) as ask:
        check_amounts(run, ask)
        check_lanes(ask)
        found = ask(
            """select name, extract_arg(arg_set_id, 'debug.wildcards') as wildcards from slice
            where category = 'job' order by ts"""
        )

    assert found == [
        ("work s=a", '{"s": "a"}'),
        ("work s=a (attempt 2)", '{"s": "a"}'),
        ("all", None),
    ]


def test_each_type_is_a_track_with_lanes_in_a_group(slurm_run: StoredRun, tmp_path: Path) -> None:
    with drawn(slurm_run, tmp_path) as ask:
        found = ask(f"select lane, name as above from ({LANES}) left join track on group_id = track.id")

    assert [row for row in found if row[1] == "Tasks"] == [
        (name, "Tasks") for name in ("prepare", "train", "last")
    ]
    assert {row[0] for row in found if row[1] == "train"} == {f"train ({lane})" for lane in (2, 3, 4)}
    assert {row[0] for row in found if row[1] is None} == {"night", "Tasks"}


def test_slices_nest_as_phases_do(slurm_run: StoredRun, tmp_path: Path) -> None:
    with drawn(slurm_run, tmp_path) as ask:
        found = ask(
            f"""select category, ts, dur, above, above_ts, above_dur from slice
            join ({ABOVE}) on parent_id = above_id"""
        )

    parts = "coalesce({0}.duration_ns, -1)"
    pairs = f"below.kind, below.start_ns, {parts.format('below')} AS took, above.kind AS above"
    pairs += f", above.start_ns AS began, {parts.format('above')} AS lasted"
    of = "FROM phases below JOIN phases above ON below.parent = above.id"
    ours = rows(slurm_run, f"SELECT {pairs} {of} WHERE above.kind != 'run'")
    apart = [("jobstep", 1020 * S, 12 * S), ("jobstep", 1060 * S, 55 * S), ("jobstep", 1061 * S, 39 * S)]
    left = list(ours)
    for one in found:
        left.remove(one)
    assert sorted(one[:3] for one in left) == apart  # it outlives its job; others ran at the same time


def test_slices_are_named_by_task_part_and_step(slurm_run: StoredRun, tmp_path: Path) -> None:
    with drawn(slurm_run, tmp_path) as ask:
        found = ask("select distinct category, name from slice order by category, name")

    assert found == [
        ("exec", "exec"),
        ("hold", "hold"),
        ("job", "last"),
        ("job", "prepare"),
        ("job", "train"),
        ("job", "train (attempt 2)"),
        ("jobstep", "batch"),
        ("jobstep", "extern"),
        ("jobstep", "fit"),
        ("queue", "queue"),
        ("run", "night"),
    ]


def test_what_is_known_of_a_phase_is_beside_it(tmp_path: Path) -> None:
    needs = json.dumps({"threads": 4, "wildcards": {"s": "a"}})
    facts = json.dumps({"shell": "make", "status": "theirs"})
    job = phase(1, "job", (0, 2), attempt=3, status="failed", attributes=facts)
    tasks = [{"id": 1, "name": "work s=a", "type": "work", "resources": needs, "outcome": "ran"}]
    run = told(tmp_path, tasks, [job, phase(2, "queue", (0, 1), parent=1, attributes="no json")])

    with drawn(run, tmp_path) as ask:
        found = ask(
            """select name, substr(key, 7) as key, display_value from slice join args using (arg_set_id)
            where category in ('job', 'queue') and key glob 'debug.*' order by slice.id, args.id"""
        )

    assert [(key, value) for name, key, value in found if name == "work s=a (attempt 3)"] == [
        ("task", "work s=a"),
        ("attempt", "3"),
        ("status", "failed"),
        ("wildcards", '{"s": "a"}'),
        ("resources", '{"threads": 4}'),
        ("shell", "make"),
    ]
    assert ("queue", "attributes", "no json") in found


def test_phases_that_cannot_be_placed_are_left_out_and_counted(tmp_path: Path) -> None:
    tasks = [{"id": 1, "name": "work", "type": "work"}]
    odd = [phase(2, "job", (5, 4)), phase(3, "queue", (None, 4)), phase(4, "exec", (1, 2), task=9)]
    run = told(tmp_path, tasks, [phase(1, "job", (0, 9)), *odd])

    counts = counts_of(run)

    assert (counts.slices, counts.left_out) == (2, 3)


def test_unfinished_tasks_stay_open(tmp_path: Path) -> None:
    tasks = [{"id": number, "name": f"work {number}", "type": "work"} for number in (1, 2)]
    phases = [
        phase(1, "job", (0, None)),
        phase(2, "queue", (0, 3), parent=1),
        phase(3, "exec", (3, None), parent=1),
    ]
    run = told(tmp_path, tasks, [*phases, phase(4, "job", (4, 5), task=2)])

    with drawn(run, tmp_path) as ask:
        found = ask(
            f"select slice.name as name, dur, depth, lane from slice join ({LANES}) on track_id = lane_id"
        )

    assert sorted(found)[:4] == [
        ("exec", -1, 1, "work"),
        ("queue", 3 * S, 1, "work"),
        ("told", 5 * S, 0, "told"),
        ("work 1", -1, 0, "work"),
    ]
    assert ("work 2", 1 * S, 0, "work (2)") in found


def test_ten_thousand_tasks_take_seconds(tmp_path: Path) -> None:
    tasks = [{"id": one, "name": f"work {one}", "type": f"type {one % 7}"} for one in range(1, 10_001)]
    phases = []
    for one in range(1, 10_001):
        own = {"task": one, "parent": 3 * one}
        phases.append(phase(3 * one, "job", (one % 977, one % 977 + 40), task=one))
        phases.append(phase(3 * one + 1, "queue", (one % 977, one % 977 + 9), **own))
        phases.append(phase(3 * one + 2, "exec", (one % 977 + 9, one % 977 + 40), **own))
    edges = [{"id": one, "kind": "data", "from_task": one, "to_task": one + 100} for one in range(1, 9_900)]
    run = told(tmp_path, tasks, phases, edges)

    began = time.process_time()
    counts = counts_of(run)
    took_s = time.process_time() - began

    assert (counts.slices, counts.left_out) == (30_001, 0)
    assert took_s < 20  # 2 s on one core of 2026


MARKED = "import longpole, subprocess\nwith longpole.phase('inside'):\n    subprocess.run(['true'])"


def test_a_joint_run_has_its_processes_and_its_tasks(user: Someone, tmp_path: Path) -> None:
    into = ("--into", "together")
    job = {"SLURM_JOB_ID": "77", "SLURM_JOB_NAME": "fit", "SLURMD_NODENAME": "n3"}
    user.record(user.python, "-c", MARKED, options=(*into, "--name", "prepare"))
    for _ in range(2):
        user.record(user.python, "-c", MARKED, options=into, env=job)

    with ExitStack() as stack:
        run = stack.enter_context(open_run(find_run("together", user.runs)))
        ask = stack.enter_context(drawn(run, tmp_path))
        check_amounts(run, ask)
        check_lanes(ask)
        tasks = ask(
            f"""select category, above, lane from slice left join ({ABOVE}) on parent_id = above_id
            join ({LANES}) on track_id = lane_id where lane in ('prepare', 'fit') order by ts, depth"""
        )
        inside = ask(
            """select slice.name as name, process.pid as pid from slice join thread_track
            on track_id = thread_track.id join thread using (utid) join process using (upid)
            where slice.name = 'inside' order by ts"""
        )

    commands = [("command", "exec", "fit")] * 2
    one_task = [("job", None, "prepare"), ("exec", "job", "prepare")]
    assert tasks == [*one_task, ("job", None, "fit"), ("exec", "job", "fit"), *commands]
    of = "FROM phases JOIN processes ON process = processes.id WHERE phases.name = 'inside'"
    assert inside == rows(run, f"SELECT phases.name, pid {of} ORDER BY phases.start_ns")
    assert len(inside) == 3
