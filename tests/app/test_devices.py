"""Devices and profiler steps of imported traces: the figures that other tools give for real ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from longpole.analyse.step_parts import mean_parts
from longpole.app.devices import device_times_of, step_parts_of
from longpole.app.imports import keep
from longpole.exchange.kineto import KINETO
from longpole.model.device_time import DeviceTime, LastStep, Rounding
from longpole.model.ports import ForeignFile
from longpole.model.told import Wishes
from longpole.store.run import StoredRun, open_run
from tests.exchange.events import event, small, trace
from tests.exchange.foreign import real_trace

NS = "hta/ns_resolution_trace/*.gz"
NCCL = "hta/nccl_parser_config/*.gz"
CONTROL = "hta/trace_diff/control/*.gz"
ZERO = "kineto/resnet50_num_workers_0/*.gz"
FOUR = "kineto/resnet50_num_workers_4/*.gz"


@contextmanager
def imported(folder: Path, *files: ForeignFile) -> Iterator[StoredRun]:
    with open_run(keep(KINETO.read(files, Wishes()), folder)) as run:
        yield run


def figures(found: DeviceTime) -> tuple[float, ...]:
    return found.idle_us, found.compute_us, found.non_compute_us, found.span_us


@pytest.mark.parametrize(
    ("name", "expected", "overlap"),
    [
        (NS, (10113, 372150, 2371, 384634), None),
        (NCCL, (338781, 75169, 21636, 435586), 14.31),
        (CONTROL, (62119, 234760, 86525, 383404), 47.03),
        (ZERO, (327463, 492891, 10140, 830494), None),
        (FOUR, (164699, 495912, 16562, 677173), None),
    ],
)
def test_rounded_figures_are_those_of_holistic_trace_analysis(
    tmp_path: Path, name: str, expected: tuple[int, ...], overlap: float | None
) -> None:
    with imported(tmp_path, real_trace(name)) as run:
        [found] = device_times_of(run, rounding=Rounding.HTA)

    assert figures(found) == pytest.approx(expected, abs=0.5)
    assert found.overlap_percent == (None if overlap is None else pytest.approx(overlap, abs=0.01))


@pytest.mark.parametrize(
    ("name", "expected", "overlap"),
    [
        (NS, (6452.701, 374738.006, 3443.756, 384634.463), None),
        (NCCL, (336419.714, 76935.828, 22232.019, 435587.561), 14.76),
        (CONTROL, (62119, 234760, 86525, 383404), 47.03),
    ],
)
def test_exact_figures_are_exact_to_the_nanosecond(
    tmp_path: Path, name: str, expected: tuple[float, ...], overlap: float | None
) -> None:
    with imported(tmp_path, real_trace(name)) as run:
        [found] = device_times_of(run)

    assert figures(found) == pytest.approx(expected, abs=0.0005)
    assert found.overlap_percent == (None if overlap is None else pytest.approx(overlap, abs=0.01))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (ZERO, (98589, 1915, 89, 2908, 59262, 13674, 1156)),
        (FOUR, (99145, 3160, 98, 10564, 1186, 22665, 4251)),
    ],
)
def test_mean_parts_of_steps_are_those_of_tensorboard(
    tmp_path: Path, name: str, expected: tuple[int, ...]
) -> None:
    with imported(tmp_path, real_trace(name)) as run:
        [mean] = mean_parts(step_parts_of(run))

    device = (mean.kernel_us, mean.memcpy_us, mean.memset_us)
    found = (*device, mean.runtime_us, mean.data_us, mean.operator_us, mean.other_us)
    assert found == pytest.approx(expected, abs=0.6)


def test_ranks_of_several_files_are_told_apart(tmp_path: Path) -> None:
    with imported(tmp_path, *(trace(*small(), name=f"rank{rank}.json") for rank in (1, 0))) as run:
        times = device_times_of(run, last_step=LastStep.KEPT)
        steps = step_parts_of(run)

    assert [one.rank for one in times] == [0, 1]
    # From 1040 to 1150.5: the kernel until 1120, the copy from 1140 on.
    assert figures(times[0]) == (20.0, 80.0, 10.5, 110.5)
    assert [(one.rank, one.step) for one in steps] == [
        (rank, f"ProfilerStep#{number}") for rank in (0, 1) for number in (1, 2)
    ]
    assert sum(one.total_us for one in steps if one.rank == 0) == pytest.approx(200.0)


def test_a_mark_on_the_device_is_neither_a_step_nor_an_operator(tmp_path: Path) -> None:
    mark = event("gpu_user_annotation", "ProfilerStep#1", "1000", "900", pid=0, tid=7)
    with imported(tmp_path, trace(*small(), mark)) as run, imported(tmp_path, trace(*small())) as without:
        assert step_parts_of(run) == step_parts_of(without)
        assert device_times_of(run) == device_times_of(without)


def test_a_run_without_devices_or_steps_has_none(tmp_path: Path) -> None:
    with imported(tmp_path, trace(event("cpu_op", "a", "1"))) as run:
        assert device_times_of(run) == ()
        assert step_parts_of(run) == ()
