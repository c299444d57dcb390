"""WfFormat: the real instances tell what is true of them; instances of any size are read alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.instances import write_chain, write_instance
from longpole.errors import UsageError
from longpole.exchange.opening import opened
from longpole.exchange.sacct import SACCT
from longpole.exchange.wfformat import WFFORMAT
from longpole.exchange.wfformat_doubts import NO_STARTS
from longpole.model.told import Told, Wishes
from tests.exchange.foreign import given, real_trace
from tests.exchange.wfformat_instances import REAL, S, document, phases, rows, told, told_of, truth, uses


@pytest.mark.parametrize("name", REAL)
def test_real_instance_tells_what_is_true_of_it(name: str) -> None:
    tale, true = told_of(name), truth(name)

    executions = phases(tale, "exec")
    assert len(rows(tale, "tasks")) == len(executions) == true["n_tasks"]
    assert len(rows(tale, "edges")) == true["n_edges"]
    assert len(rows(tale, "files")) == true["n_files"]
    assert sum(row["duration_ns"] for row in executions) == round(true["total_runtime_s"] * S)
    [workflow] = phases(tale, "workflow")
    assert workflow["duration_ns"] == round(true["makespan_recorded_s"] * S)
    assert json.loads(workflow["attributes"])["system"] == true["wms"]
    for metric, key in (("read_bytes", "sum_readBytes"), ("written_bytes", "sum_writtenBytes")):
        totals = [row["value"] for row in rows(tale, "totals") if row["metric"] == metric]
        assert sum(totals) == true[key]


@pytest.mark.parametrize("name", REAL)
def test_files_of_real_instances_come_from_outside_stay_inside_or_go_out(name: str) -> None:
    tale, true = told_of(name), truth(name)

    sizes = {row["name"]: row["bytes"] for row in rows(tale, "files")}
    written = {file for _, file, made in uses(tale) if made}
    read = {file for _, file, made in uses(tale) if not made}
    assert sum(sizes[file] for file in read - written) == true["external_input_bytes"]
    assert sum(sizes[file] for file in read & written) == true["intermediate_bytes"]
    assert sum(sizes[file] for file in written - read) == true["final_output_bytes"]


@pytest.mark.parametrize("name", REAL)
def test_real_instances_have_no_starts_of_tasks_and_say_so(name: str) -> None:
    tale = told_of(name)

    assert {row["start_ns"] for row in phases(tale, "exec")} == {None}
    assert NO_STARTS in tale.gaps


@pytest.mark.parametrize(
    ("name", "start_s"),
    [
        ("1000genome-chameleon-2ch-100k-001", 1585713043),  # 20200401T035043+0000
        ("blast-chameleon-large-001", 1609093417),  # 2020-12-27T18:23:37+00:00
        ("helloworld-chain-5-chameleon", 1683735812),  # 05-10-23T16:23:32Z
        ("rnaseq-dirt02-001", 1679433020),  # 2023-03-21T11:10:20-10:00
    ],
)
def test_begin_is_known_in_every_layout(name: str, start_s: int) -> None:
    [workflow] = phases(told_of(name), "workflow")

    assert workflow["start_ns"] == start_s * S


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("1000genome-chameleon-2ch-100k-001", 5),
        ("blast-chameleon-large-001", 4),
        ("helloworld-forkjoin-10-chameleon", 1),
        ("montage-chameleon-2mass-005d-001", 8),
    ],
)
def test_tasks_of_real_instances_are_of_few_types(name: str, types: int) -> None:
    found = {str(row["type"]) for row in rows(told_of(name), "tasks")}

    assert len(found) == types
    assert not any(word[-1].isdigit() for word in found)


def test_file_that_is_called_none_is_a_file() -> None:
    tale = told_of("blast-chameleon-large-001")

    assert "None" in {row["name"] for row in rows(tale, "files")}
    assert any(file == "None" for _, file, _ in uses(tale))


def test_instance_is_recognised_before_what_sacct_prints() -> None:
    old = given(json.dumps({"name": "x", "schemaVersion": "1.2", "workflow": {"jobs": [{"name": "a"}]}}))
    jobs = given('{"meta": {}, "jobs": [{"job_id": 7}]}')

    assert WFFORMAT.recognises(old)
    assert (WFFORMAT.recognises(jobs), SACCT.recognises(jobs)) == (False, True)


@pytest.mark.parametrize("name", REAL)
def test_real_instances_are_recognised(name: str) -> None:
    assert WFFORMAT.recognises(real_trace(f"wfformat/{name}.json"))


def test_several_instances_are_several_runs() -> None:
    file = given(json.dumps(document({"a": []})))

    with pytest.raises(UsageError, match="one by one"):
        WFFORMAT.read([file, file], Wishes())


def read(path: Path) -> Told:
    with opened([str(path)]) as files:
        return WFFORMAT.read(files, Wishes())


@pytest.mark.parametrize(("tasks", "edges_each"), [(1, 3), (40, 0), (500, 1), (2000, 3)])
def test_made_instance_has_the_edges_it_should_have(tmp_path: Path, tasks: int, edges_each: int) -> None:
    edges = write_instance(tmp_path / "made.json", tasks, edges_each, seed=7)

    tale = read(tmp_path / "made.json")

    assert (len(rows(tale, "tasks")), len(rows(tale, "edges"))) == (tasks, edges)
    assert len(phases(tale, "exec")) == tasks


def test_made_instance_is_the_same_for_a_seed(tmp_path: Path) -> None:
    for number, seed in enumerate((1, 1, 2)):
        write_instance(tmp_path / f"{number}.json", 300, 2, seed)

    first, same, other = ((tmp_path / f"{number}.json").read_bytes() for number in range(3))
    assert first == same != other


def test_chain_is_as_deep_as_it_has_tasks(tmp_path: Path) -> None:
    write_chain(tmp_path / "chain.json", 5000)

    edges = rows(read(tmp_path / "chain.json"), "edges")
    assert [(row["from_task"], row["to_task"]) for row in edges] == [(at, at + 1) for at in range(1, 5000)]


def test_order_of_tasks_does_not_matter() -> None:
    made = document({"a": [], "b": ["a"], "c": ["b"]})
    made["workflow"]["execution"]["tasks"].reverse()

    assert [row["task"] for row in phases(told(made), "exec")] == [1, 2, 3]
