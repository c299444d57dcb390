"""Traced phases lie in what their process had marked at that time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import HandmadeLog, HandmadeRun
from tests.exchange.events import Row, call, on_gpu
from tests.traces import PID, RING, lies_in, program, put, traced

PARTS = {"data": (100.0, 110.0), "forward": (120.0, 150.0), "backward": (150.0, 190.0)}


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., dict[Any, tuple[Any, Any]]]:
    """Trace a program that marked an epoch with a step in it; return where all lies."""

    def placed(*events: Row, more: Callable[[HandmadeLog], None] = lambda _: None) -> Any:
        run = HandmadeRun(tmp_path)
        with run.log() as log:
            program(log)
            log.phase(RING, 1, "first", (50, 500), kind="epoch")
            log.step(RING, 2, (100, 200), PARTS, parent=1)
            more(log)
        put(run, *events)
        return lies_in(run.open())

    return placed


def test_an_operator_lies_in_the_part_of_the_step_that_holds_it(place: Any) -> None:
    assert place(traced("aten::mm", 130, 140))["aten::mm"] == ("forward", "forward")


def test_an_operator_between_parts_lies_in_the_step(place: Any) -> None:
    assert place(traced("aten::mm", 149, 151))["aten::mm"] == ("step", "step")


def test_an_operator_outside_all_marks_lies_in_the_process(place: Any) -> None:
    assert place(traced("aten::mm", 499, 501))["aten::mm"] == ("process", "p1")


def test_a_step_of_the_profiler_that_straddles_ours_lies_in_the_epoch(place: Any) -> None:
    found = place(
        traced("ProfilerStep#3", 99, 199, "user_annotation"),
        traced("aten::mm", 130, 140),
        traced("aten::add", 99.2, 99.8),
    )

    assert found["ProfilerStep#3"] == ("epoch", "first")
    assert found["aten::mm"] == ("forward", "forward")
    assert found["aten::add"] == ("step", "ProfilerStep#3")


def test_what_a_trace_put_into_an_operator_or_annotation_stays_there(place: Any) -> None:
    found = place(
        traced("block", 115, 195, "user_annotation"),
        traced("aten::linear", 121, 140),
        traced("aten::addmm", 125, 139),
    )

    assert found["block"] == ("step", "step")
    assert found["aten::linear"] == ("annotation", "block")
    assert found["aten::addmm"] == ("operator", "aten::linear")


def test_python_frames_hold_only_what_no_mark_within_them_does(place: Any) -> None:
    found = place(
        traced("main", 10, 600, "python_function"),
        traced("linear", 121, 140, "python_function"),
        traced("aten::mm", 125, 139),
        traced("aten::save", 510, 520),
    )

    assert found["main"] == ("process", "p1")
    assert found["linear"] == ("forward", "forward")
    assert found["aten::mm"] == ("python", "linear")
    assert found["aten::save"] == ("python", "main")


def test_what_ran_on_a_device_lies_in_the_process(place: Any) -> None:
    found = place(call("125000", "10", 1, pid=PID, tid=PID), on_gpu("kernel", "gemm", "130000", "500", 1))

    assert found["cudaLaunchKernel"] == ("forward", "forward")
    assert found["gemm"] == ("process", "p1")


def test_of_marks_of_two_threads_the_one_that_began_last_holds(place: Any) -> None:
    def other(log: HandmadeLog) -> None:
        log.phase(RING, 9, "aside", (60, 400), lane=1)
        log.phase(RING, 10, "short", (115, 116), lane=1, parent=9)

    found = place(traced("aten::mm", 130, 140), traced("aten::save", 300, 310), more=other)

    assert found["aten::mm"] == ("forward", "forward")
    assert found["aten::save"] == ("phase", "aside")


def test_marks_stay_where_they_were(place: Any) -> None:
    found = place(traced("ProfilerStep#3", 40, 600, "user_annotation"))

    assert found["first"] == ("process", "p1")
    assert found["step"] == ("epoch", "first")
    assert found["ProfilerStep#3"] == ("process", "p1")
