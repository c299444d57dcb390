"""Real traces of other systems, imported and explained: figures that were computed elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longpole.app.explaining import Explained, explain_run
from longpole.app.importers import read_files
from longpole.app.imports import keep
from longpole.model.told import Wishes
from longpole.store.run import open_run
from tests.exchange.foreign import real_trace

WFFORMAT = (
    "1000genome-chameleon-2ch-100k-001",
    "blast-chameleon-large-001",
    "helloworld-chain-5-chameleon",
    "helloworld-forkjoin-10-chameleon",
    "montage-chameleon-2mass-005d-001",
    "rnaseq-dirt02-001",
)


def explained(name: str, runs: Path, *, hta_rounding: bool = False) -> Explained:
    """Import a real trace and explain it."""
    told = read_files([real_trace(name).path], Wishes())
    with open_run(keep(told, runs)) as run:
        return explain_run(run, hta_rounding=hta_rounding)


@pytest.fixture(params=WFFORMAT)
def instance(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def truth(instance: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(real_trace("wfformat/truth.json").read())[instance]
    return found


def test_structure_is_that_of_the_truth(instance, tmp_path):
    expected = truth(instance)

    found = explained(f"wfformat/{instance}.json", tmp_path).explanation

    assert (found.tasks, found.edges) == (expected["n_tasks"], expected["n_edges"])
    assert (found.levels, found.width) == (expected["n_levels"], expected["max_level_width"])
    assert (found.antichain, found.antichain_exact) == (expected["max_antichain"], True)
    assert found.asap_peak == expected["asap_peak_concurrency"]
    assert found.total_task_s == pytest.approx(expected["total_runtime_s"], abs=1e-3)
    assert found.critical_path_s == pytest.approx(expected["critical_path_s"], abs=1e-3)
    assert found.makespan_s == pytest.approx(expected["makespan_recorded_s"], abs=1e-3)


def test_files_are_those_of_the_truth(instance, tmp_path):
    expected = truth(instance)

    found = explained(f"wfformat/{instance}.json", tmp_path).explanation

    assert found.flow.files == expected["n_files"]
    assert found.flow.external_input_bytes == expected["external_input_bytes"]
    assert found.flow.intermediate_bytes == expected["intermediate_bytes"]
    assert found.flow.final_output_bytes == expected["final_output_bytes"]


def test_bytes_and_system_are_those_of_the_truth(instance, tmp_path):
    expected = truth(instance)
    told = read_files([real_trace(f"wfformat/{instance}.json").path], Wishes())

    with open_run(keep(told, tmp_path)) as run:
        sums = run.query(
            "SELECT coalesce(sum(value) FILTER (metric = 'read_bytes'), 0) AS read_bytes,"
            " coalesce(sum(value) FILTER (metric = 'written_bytes'), 0) AS written FROM totals"
            " WHERE scope = 'phase'"
        )
        [system] = run.query("SELECT attributes FROM phases WHERE kind = 'workflow'")["attributes"]

    assert sums["read_bytes"][0] == expected["sum_readBytes"]
    assert sums["written"][0] == expected["sum_writtenBytes"]
    assert json.loads(str(system))["system"] == expected["wms"]


def test_what_an_instance_cannot_tell_is_said(tmp_path):
    found = explained("wfformat/montage-chameleon-2mass-005d-001.json", tmp_path).explanation

    assert any("only DAG bounds" in limit for limit in found.limits)
    assert (found.blame, found.findings, found.self_replay_error) == ((), (), None)


RESNET = "kineto/resnet50_num_workers_{}/*.gz"


def test_the_trace_that_loads_its_data_itself_waits_for_data(tmp_path):
    [first, *_] = explained(RESNET.format(0), tmp_path).explanation.findings

    assert first.rule == "data-loading"


def test_the_predicted_step_is_that_of_the_trace_with_workers(tmp_path):
    [first, *_] = explained(RESNET.format(0), tmp_path).explanation.findings
    told = read_files([real_trace(RESNET.format(4)).path], Wishes())

    with open_run(keep(told, tmp_path)) as run:
        steps = run.query("SELECT median(duration_ns) AS step_ns FROM phases WHERE kind = 'step'")["step_ns"]

    measured_s = float(steps[0] or 0) / 1e9
    assert first.step_s == pytest.approx(measured_s, rel=0.10)


GPU = {
    "hta/ns_resolution_trace/*.gz": (10113, 372150, 2371, 384634, None),
    "hta/nccl_parser_config/*.gz": (338781, 75169, 21636, 435586, 14.31),
    "hta/trace_diff/control/*.gz": (62119, 234760, 86525, 383404, 47.03),
    RESNET.format(0): (327463, 492891, 10140, 830494, None),
    RESNET.format(4): (164699, 495912, 16562, 677173, None),
}


@pytest.mark.parametrize(("trace", "expected"), GPU.items(), ids=lambda value: str(value)[:20])
def test_with_their_rounding_times_of_gpus_are_theirs(trace, expected, tmp_path):
    [found] = explained(trace, tmp_path, hta_rounding=True).explanation.gpu

    assert (found.idle_us, found.compute_us, found.non_compute_us, found.span_us) == expected[:4]
    assert found.overlap_percent == (None if expected[4] is None else pytest.approx(expected[4], abs=0.01))
