"""A run with a trace in it is explained by what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longpole.app.explaining import evidence_of, explain_run
from longpole.app.overview import overview_of
from longpole.app.traced import phases_without_traces
from tests.builders import HandmadeLog, HandmadeRun
from tests.exchange.events import Row, call, on_gpu
from tests.traces import PID, RING, program, put, traced

EVENTS = (
    traced("ProfilerStep#3", 99, 199, "user_annotation"),
    traced("enumerate(DataLoader)#_Iter.__next__", 101, 109, "user_annotation"),
    traced("aten::mm", 130, 140),
    call("132000", "10", 1, pid=PID, tid=PID),
    on_gpu("kernel", "gemm", "135000", "20000", 1),
)


def stepping(log: HandmadeLog) -> None:
    log.step(RING, 2, (100, 200), {"data": (100.0, 110.0), "forward": (120.0, 150.0)})


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Any]:
    def recorded(*events: Row, more: Callable[[HandmadeLog], None] = stepping) -> Any:
        run = HandmadeRun(tmp_path)
        with run.log() as log:
            program(log)
            log.phase(RING, 1, "save", (300, 400), kind="checkpoint")
            more(log)
        if events:
            put(run, *events)
        return run.open()

    return recorded


def test_a_run_without_traces_is_asked_as_ever(record: Any) -> None:
    assert phases_without_traces(record()) is None


def test_of_a_process_with_steps_only_what_was_recorded_counts(record: Any) -> None:
    kinds = sorted(map(str, evidence_of(record(*EVENTS)).phases["kind"]))

    assert kinds == ["checkpoint", "data", "forward", "process", "run", "step"]


def test_of_a_process_without_steps_those_of_the_profiler_count(record: Any) -> None:
    frame = traced("main", 10, 600, "python_function")
    phases = evidence_of(record(frame, *EVENTS, more=lambda _: None)).phases

    found = {row["name"]: row for row in phases.records()}
    assert set(found) == {"made", "p1", "save", "ProfilerStep#3", "enumerate(DataLoader)#_Iter.__next__"}
    assert found["ProfilerStep#3"]["parent"] == found["p1"]["id"]


def test_blame_is_of_what_was_recorded_and_sums_to_the_makespan(record: Any) -> None:
    found = explain_run(record(*EVENTS)).explanation

    assert sum(one.seconds for one in found.blame) == pytest.approx(found.makespan_s)
    assert {one.kind for one in found.blame} == {"process", "step", "forward", "data", "checkpoint"}


def test_gpu_and_steps_of_the_trace_are_told(record: Any) -> None:
    found = explain_run(record(*EVENTS)).explanation

    assert [one.compute_us for one in found.gpu] == [20_000.0]
    assert [one.step for one in found.steps] == ["ProfilerStep#3"]


def test_a_fetch_that_both_saw_counts_once_in_a_step(record: Any) -> None:
    # It lies in the step, not in the step's own fetch, as it begins a moment before that.
    fetch = traced("enumerate(DataLoader)#_Iter.__next__", 109, 111, "user_annotation")
    steps = {step.name: step for step in overview_of(record(fetch)).steps}

    assert steps["step"].data_s == pytest.approx(0.010)
