from __future__ import annotations

from dataclasses import fields, replace

import pytest

from longpole.analyse.overview import overview
from longpole.model.execution import Metric
from longpole.model.manifest import Manifest, State
from longpole.model.recording import Reading, RecordingNotes
from tests.analyse.evidence import SECOND, START, evidence, full, many, part, process, recorded, table

DATA = ("data", "data", 4, 2 * SECOND, 0)
# What others rely on, in this order; what follows it is ours.
KEYS = [
    *("schema_version", "run", "name", "command", "exit_code", "signal", "makespan_s", "processes"),
    *("cpu_user_s", "cpu_system_s", "read_bytes", "written_bytes", "storage_read_bytes"),
    *("storage_written_bytes", "peak_memory_bytes", "gpus", "phases", "host", "steps", "recording"),
    *("unseen", "limits"),
]


def test_keys_that_others_rely_on_come_first_and_in_order():
    found = overview(evidence())

    ours = ["state", "started", "cores", "process_list", "trials", "tasks"]
    ours += ["commands", "commands_failed", "commands_cut", "attached"]
    ours += ["workflow", "jobs_failed", "jobs_cut"]
    assert [field.name for field in fields(found)] == [*KEYS, *ours]


def test_a_run_worked_by_hand():
    # 4 s on two cores: the run used 3 s of CPU, its recorder 0.2 s, the whole host 4.8 s
    cpu = ("cpu", "all cores")
    found = overview(
        evidence(
            manifest=recorded(0.2, command=("sh", "-c", "a b")),
            run=table("run", (START, START + 4 * SECOND)),
            totals=table(
                "totals", (Metric.CPU_USER, 2.5e9), (Metric.CPU_SYSTEM, 0.5e9), (Metric.READ, 4096.0)
            ),
            processes=table("processes", process(1, 0, 4), process(2, 1, 2)),
            memory=table("memory", (1, START, 100, None), (2, START + SECOND, 50, None)),
            host=table(
                "host", (*cpu, "user", "cores", 2.0, 4.0, 4.0), (*cpu, "system", "cores", 2.0, 0.8, 4.0)
            ),
        )
    )

    assert (found.makespan_s, found.processes, found.command, found.cores) == (4.0, 2, "sh -c 'a b'", 2)
    assert (found.cpu_user_s, found.cpu_system_s, found.read_bytes) == (2.5, 0.5, 4096)
    assert found.peak_memory_bytes == 150
    assert found.recording is not None
    assert found.recording.percent == pytest.approx(5.0)
    assert found.host is not None
    assert found.host.cpu_busy_percent == pytest.approx(60.0)
    assert found.host.others_cpu_percent == pytest.approx(20.0)


def test_what_is_not_known_is_none():
    manifest = Manifest(1, "c0ffee00", "demo", State.BROKEN)
    unknown = evidence(manifest=manifest, state=State.BROKEN, notes=RecordingNotes(), run=table("run"))

    found = overview(replace(unknown, hosts=table("hosts"), reading=Reading()))

    absent = [field.name for field in fields(found) if getattr(found, field.name) is None]
    lists = ("processes", "gpus", "phases", "steps", "unseen", "limits")
    assert absent == [key for key in KEYS[4:] if key not in lists] + ["cores"]


def test_steps_are_in_no_share_of_the_phases():
    found = overview(
        evidence(
            phases=table(
                "phases", ("epoch", "epoch", 2, 8 * SECOND, 0), ("step", "step", 4, 6 * SECOND, 0), DATA
            ),
            steps=table("steps", full(4, 6 * SECOND), part("data", 2 * SECOND, count=4)),
            processes=table("processes", process(1, pid=4711, rank=0, world=2)),
        )
    )

    (use,) = found.steps
    assert (use.pid, use.rank, use.world, use.count, use.data_s) == (4711, 0, 2, 4, 2.0)
    shares = {phase.name: (phase.share, phase.in_steps) for phase in found.phases}
    assert shares == {"epoch": (1.0, False), "step": (0.0, True), "data": (0.0, True)}


def test_counted_steps_are_said_to_be_counted():
    found = overview(evidence(steps=table("steps", many(5, SECOND, '{"bins": [[256, 5]]}'))))

    assert any("p50 and p95" in limit for limit in found.limits)


def test_the_makespan_is_the_manifests_where_the_log_has_none():
    found = overview(evidence(run=table("run"), manifest=recorded(0.1, makespan_s=2.0)))

    assert found.makespan_s == 2.0


def test_nested_recorders_count_as_recording():
    noted = RecordingNotes(logs=1, ended=True, recorder_cpu_s=0.5, joined=2)

    found = overview(evidence(manifest=recorded(0.2), notes=noted))

    assert found.recording is not None
    assert found.recording.cpu_s == 0.5


def test_masked_arguments_are_shown_as_masked():
    found = overview(evidence(manifest=recorded(0.1, command=("curl", "--token", "***"))))

    assert found.command == "curl --token ***"


def test_a_peak_that_the_kernel_kept_counts_and_a_sampled_one_does_not():
    row = process(1, **{Metric.PEAK_MEMORY: 900})

    exact = overview(evidence(processes=table("processes", row | {"peak_source": "exact"})))
    sampled = overview(evidence(processes=table("processes", row | {"peak_source": "sampled"})))

    assert (exact.peak_memory_bytes, sampled.peak_memory_bytes) == (900, None)
