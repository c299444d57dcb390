"""Real traces of GPUs in a run that recorded their process: the figures are those of the traces alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.app.explaining import explain_run
from longpole.app.grafting import graft
from longpole.app.importers import read_files
from longpole.app.imports import keep
from longpole.model.explanation import Explanation
from longpole.model.told import Told, Wishes
from longpole.store.run import StoredRun, open_run
from tests.builders import HandmadeRun, ms
from tests.exchange.foreign import real_trace

TRACES = ("hta/ns_resolution_trace/*.gz", "hta/nccl_parser_config/*.gz", "kineto/resnet50_num_workers_0/*.gz")
BEFORE_MS, MARK = 500.0, "prepare"


@pytest.fixture(params=TRACES)
def told(request: pytest.FixtureRequest) -> Told:
    return read_files([real_trace(str(request.param)).path], Wishes())


def grafted(told: Told, runs: Path) -> StoredRun:
    """Put a trace into a run that saw its process begin before the trace, mark something, and end after."""
    (process,) = told.tables["processes"].records()
    pid, start_ns, end_ns = (int(process[name] or 0) for name in ("pid", "start_ns", "end_ns"))
    until = (end_ns - start_ns) / 1e6 + 2 * BEFORE_MS
    run = HandmadeRun(runs)
    with run.log(bare=True) as log:
        log.note("host", name="node", boot="b", cores=4)
        log.note("clock", at=0, offset=start_ns - ms(BEFORE_MS), error=100)
        log.note("began", at=0)
        log.launcher()
        log.process(1, pid=pid, start=0)
        log.exit(1, 0, until, pid=pid)
        log.ring(2, 1, pid=pid)
        log.phase(2, 1, MARK, (10, 400))
        log.finish(pid, 0, until)
    graft({"trace.json": told}, run.path)
    return run.open()


def both(told: Told, folder: Path, *, hta_rounding: bool = False) -> tuple[Explanation, Explanation]:
    """Explain a trace alone, and a run that it was put into."""
    with open_run(keep(told, folder / "alone")) as alone, grafted(told, folder / "runs") as within:
        return tuple(explain_run(run, hta_rounding=hta_rounding).explanation for run in (alone, within))  # type: ignore[return-value]


@pytest.mark.parametrize("hta_rounding", [False, True])
def test_times_of_gpus_and_parts_of_steps_are_the_same(
    told: Told, tmp_path: Path, hta_rounding: bool
) -> None:
    alone, within = both(told, tmp_path, hta_rounding=hta_rounding)

    assert alone.gpu
    assert within.gpu == alone.gpu
    assert within.steps == alone.steps


def test_what_was_recorded_is_explained_beside_the_steps_of_the_trace(told: Told, tmp_path: Path) -> None:
    alone, within = both(told, tmp_path)

    assert MARK in {one.what for one in within.blame}
    assert sum(one.seconds for one in within.blame) == pytest.approx(within.makespan_s)
    assert {one.kind for one in within.blame} <= {"process", "phase", "step", "data", "idle"}
    assert [one.rule for one in within.findings][:1] == [one.rule for one in alone.findings][:1]
