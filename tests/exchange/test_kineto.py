"""Traces of PyTorch's profiler: phases by thread and stream, who launched what, exact times."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from longpole.exchange.kineto import KINETO
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.told import Told, Wishes
from tests.exchange.events import PID, Row, by_name, call, event, on_gpu, rows, small, trace
from tests.exchange.foreign import Given, given, real_trace

US = 1000
OLD = {
    "user_annotation": "Operator",
    "cpu_op": "Operator",
    "cuda_runtime": "Runtime",
    "kernel": "Kernel",
    "gpu_memcpy": "Memcpy",
    "gpu_memset": "Memset",
}


def read(*files: Given) -> Told:
    return KINETO.read(files, Wishes())


def told(*events: Row, name: str = "rank0.json", **header: object) -> Told:
    return read(trace(*events, name=name, **header))


def kinds(found: Told) -> dict[object, object]:
    return {row["name"]: row["kind"] for row in rows(found)}


def test_events_become_phases_of_their_kind() -> None:
    assert kinds(told(*small())) == {
        "python": "process",
        "ProfilerStep#1": "step",
        "ProfilerStep#2": "step",
        "aten::mm": "operator",
        "cudaLaunchKernel": "runtime",
        "gemm": "kernel",
        "enumerate(DataLoader)#_Iter.__next__": "data",
        "Memcpy HtoD": "memcpy",
    }


def test_old_categories_mean_the_same() -> None:
    old = [{**one, "cat": OLD[one["cat"]]} for one in small()]

    assert kinds(told(*old)) == kinds(told(*small()))


def test_python_overhead_and_marks_on_the_device_have_kinds_of_their_own() -> None:
    found = told(
        *small(),
        event("python_function", "forward", "1010", "40"),
        event("Overhead", "Activity Buffer Request", "1010", "2", pid=-1, tid=0),
        event("gpu_user_annotation", "ProfilerStep#1", "1040", "80", pid=0, tid=7),
        event("cuda_sync", "Stream Sync", "1160", "5", pid=0, tid=7),
        event("cuda_driver", "cuLaunchKernel", "1170", "5"),
    )

    new = [(row["kind"], row["name"], row["device"]) for row in rows(found)[-5:]]
    assert new == [
        ("python", "forward", None),
        ("overhead", "Activity Buffer Request", None),
        ("annotation", "ProfilerStep#1", 0),
        ("sync", "Stream Sync", 0),
        ("runtime", "cuLaunchKernel", None),
    ]
    assert len(rows(found, "processes")) == 1


def test_phases_of_a_thread_nest_and_those_of_a_device_lie_in_the_process() -> None:
    found = by_name(told(*small()))

    own = found["python"]["id"]
    step = found["ProfilerStep#1"]
    assert found["python"]["parent"] is None
    assert step["parent"] == own
    assert found["aten::mm"]["parent"] == step["id"]
    assert found["gemm"]["parent"] == own
    assert (found["gemm"]["lane"], found["gemm"]["device"]) == (7, 0)
    assert (step["lane"], step["device"]) == (PID, None)
    assert (found["python"]["start_ns"], found["python"]["end_ns"]) == (1000 * US, 1200 * US)


def test_a_call_launches_what_has_its_correlation() -> None:
    found = told(*small())

    names = {row["id"]: (row["kind"], row["name"]) for row in rows(found)}
    pairs = [(names[row["from_phase"]], names[row["to_phase"]], row["kind"]) for row in rows(found, "edges")]
    assert pairs == [
        (("runtime", "cudaLaunchKernel"), ("kernel", "gemm"), "launch"),
        (("runtime", "cudaLaunchKernel"), ("memcpy", "Memcpy HtoD"), "launch"),
    ]
    assert json.loads(str(by_name(found)["Memcpy HtoD"]["attributes"])) == {"correlation": 2, "bytes": 4096}


@pytest.mark.parametrize(
    ("one", "other"), [(2**60 + 1, float(2**60)), (float(2**70), float(2**70)), (5, 5.0)]
)
def test_ids_that_went_through_a_float_still_join(one: float, other: float) -> None:
    found = told(call("10", "1", one), on_gpu("kernel", "k", "20", "1", other))

    assert len(rows(found, "edges")) == 1


def test_large_ids_that_did_not_stay_apart() -> None:
    ids = (2**60 + 1, 2**60 + 2)
    calls = [call(str(10 + at), "1", one) for at, one in enumerate(ids)]
    found = told(*calls, *(on_gpu("kernel", f"k{at}", "20", "1", one) for at, one in enumerate(ids)))

    starts = {row["id"]: row["start_ns"] for row in rows(found)}
    assert [starts[row["from_phase"]] for row in rows(found, "edges")] == [10 * US, 11 * US]


def test_one_call_may_launch_many_and_0_launches_nothing() -> None:
    found = told(
        call("10", "1", 4),
        call("12", "1", 0),
        on_gpu("kernel", "a", "20", "1", 4),
        on_gpu("kernel", "b", "21", "1", 4),
        on_gpu("kernel", "c", "22", "1", 0),
    )

    assert len(rows(found, "edges")) == 2
    assert any("without a launch in the trace: 1 of 3." in gap for gap in found.gaps)


def test_times_are_exact_to_the_nanosecond() -> None:
    found = told(event("cpu_op", "a", "1712195495519689.047", "63.813"))

    row = by_name(found)["a"]
    assert (row["start_ns"], row["duration_ns"]) == (1_712_195_495_519_689_047, 63_813)
    assert row["end_ns"] == 1_712_195_495_519_752_860


def test_times_count_from_the_base_where_there_is_one() -> None:
    found = told(event("cpu_op", "a", "4458676981028.392"), baseTimeNanoseconds=1_711_964_646_000_000_000)

    assert by_name(found)["a"]["start_ns"] == 1_716_423_322_981_028_392
    assert not any("times of day" in gap for gap in found.gaps)


@pytest.mark.parametrize(
    ("name", "header", "expected"),
    [
        ("x.json", {"distributedInfo": {"rank": 3, "world_size": 8}}, (3, 8)),
        ("rank-0.Apr_03.pt.trace.json.gz", {}, (0, None)),
        ("dir/worker12.1623143089861.pt.trace.json", {}, (12, None)),
        ("trace_rank_5.json", {}, (5, None)),
        ("rank7.json", {"distributedInfo": {"rank": 1}}, (1, None)),
        ("frank.json", {}, (None, None)),
        ("x.json", {"distributedInfo": None}, (None, None)),
    ],
)
def test_the_rank_is_told_by_the_trace_or_the_name(
    name: str, header: dict[str, object], expected: tuple[int | None, int | None]
) -> None:
    [process] = rows(told(*small(), name=name, **header), "processes")

    assert (process["rank"], process["world"]) == expected
    assert process["pid"] == PID


def test_the_host_is_told_by_newer_traces() -> None:
    found = told(*small(), host_name="node3", name=f"node7_{PID}.1623143089861.pt.trace.json")

    assert [row["name"] for row in rows(found, "hosts")] == ["node3"]


def test_the_host_is_told_by_the_name_that_names_the_pid() -> None:
    found = told(*small(), name=f"node7_{PID}.1623143089861.pt.trace.json")

    assert [row["name"] for row in rows(found, "hosts")] == ["node7"]
    assert rows(found, "processes")[0]["host"] == rows(found, "hosts")[0]["id"]
    assert "hosts" not in told(*small(), name="node7_555.1623143089861.pt.trace.json").tables


def test_processes_are_called_as_metadata_says() -> None:
    named = {"ph": "M", "name": "process_name", "pid": PID, "tid": 0, "args": {"name": "python3.11"}}
    gpu = {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "other"}}

    assert [row["name"] for row in rows(told(*small(), named, gpu), "processes")] == ["python3.11"]


def test_ranks_in_several_files_are_one_run() -> None:
    found = read(*(trace(*small(), name=f"rank{rank}.json") for rank in range(3)))

    assert [row["rank"] for row in rows(found, "processes")] == [0, 1, 2]
    assert sum(row["kind"] == "process" for row in rows(found)) == 3
    by_id = {row["id"]: row for row in rows(found)}
    assert len(rows(found, "edges")) == 6
    assert all(
        by_id[edge["from_phase"]]["process"] == by_id[edge["to_phase"]]["process"]
        for edge in rows(found, "edges")
    )
    assert found.name == "kineto"


def test_two_windows_of_one_process_are_one_process() -> None:
    later = [{**one, "ts": one["ts"] + 5000} for one in small()]
    found = read(trace(*small(), name="rank0.1.json"), trace(*later, name="rank0.2.json"))

    assert len(rows(found, "processes")) == 1
    assert by_name(found)["python"]["end_ns"] == 6200 * US


def test_device_work_belongs_to_the_process_that_launched_it() -> None:
    other = call("1010", "1", 9, pid=200, tid=200)
    found = by_name(told(*small(), other, on_gpu("kernel", "theirs", "1300", "1", 9)))

    assert found["theirs"]["process"] != found["gemm"]["process"]


def test_what_is_missing_is_said() -> None:
    gaps = told(
        event("cpu_op", "a", "1"),
        event("strange", "b", "2"),
        {"ph": "i", "name": "[memory]", "ts": 3, "pid": 1, "tid": 1, "s": "t"},
        {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "ts": 3, "pid": 1, "tid": 1},
        event("Trace", "PyTorch Profiler (0)", "1", pid="Spans", tid="PyTorch Profiler"),
    ).gaps

    assert len(gaps) == 6
    for said in (
        "no ProfilerStep",
        "no event of a GPU",
        "1 of strange",
        "no length: 1.",
        "operators were left out: 1.",
        "times of",
    ):
        assert any(said in gap for gap in gaps)


def test_traces_that_miss_something_are_counted() -> None:
    gaps = read(trace(*small(), name="a.json"), trace(event("cpu_op", "a", "1"), name="b.json")).gaps

    assert "1 of 2 traces have no ProfilerStep: nothing tells where a step begins." in gaps
    assert any("2 of 2 traces have no rank" in gap for gap in gaps)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"ts": None}, "event 'bad' has the ts null"),
        ({"dur": -5}, "event 'bad' has the dur -5"),
        ({"ts": "soon"}, "event 'bad' has the ts \"soon\""),
        ({"dur": 4e15, "ts": 4e15}, "cannot be"),
        ({"args": [1]}, r"args"),
        ({"args": {"correlation": {}}}, r"correlation"),
    ],
)
def test_a_bad_field_is_named_with_its_file(bad: Row, said: str) -> None:
    with pytest.raises(UnreadableFileError, match=rf"some\.json .*{said}"):
        told(*small(), {**event("cpu_op", "bad", "1"), **bad}, name="some.json")


def test_a_missing_time_is_named() -> None:
    for field in ("ts", "dur"):
        bad = {name: value for name, value in event("cpu_op", "bad", "1").items() if name != field}
        with pytest.raises(UnreadableFileError, match=f"event 'bad' has no {field}"):
            told(bad)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"traceEvents": 3}', "traceEvents"),
        ('{"traceEvents": null}', "traceEvents"),
        ('{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "na', "cut off"),
        ('{"traceEvents": []}', "nothing of PyTorch's profiler: no event is of a category cpu_op"),
        ('{"traceEvents": [{"ph": "X", "cat": "blink", "ts": 1, "dur": 1}]}', "nothing of PyTorch"),
        ('{"traceEvents": [], "baseTimeNanoseconds": -1}', "baseTimeNanoseconds"),
    ],
)
def test_what_is_no_such_trace_is_refused(content: str, said: str) -> None:
    with pytest.raises(UnreadableFileError, match=said):
        read(given(content, "some.json"))


@pytest.mark.parametrize(
    "content",
    [
        '{"schemaVersion": 1, "deviceProperties": [], "traceEvents": []}',
        '\n{"distributedInfo": {"rank": 0}}',
        '{"traceEvents": [{"ph": "X", "cat": "Operator", "name": "aten::add"}]}',
        '[{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3"}]',
    ],
)
def test_it_is_recognised_by_its_head(content: str) -> None:
    assert KINETO.recognises(given(content))


@pytest.mark.parametrize(
    "content", ['{"schemaVersion": "1.5", "workflow": {}}', '[{"ph": "X", "cat": "gc"}]']
)
def test_other_forms_are_not_its_own(content: str) -> None:
    assert not KINETO.recognises(given(content))


@pytest.mark.parametrize(
    ("name", "counts", "launches"),
    [
        (
            "hta/ns_resolution_trace/*.gz",
            {"operator": 23910, "kernel": 4350, "memcpy": 1600, "step": 5},
            6095,
        ),
        (
            "hta/nccl_parser_config/*.gz",
            {"operator": 14346, "kernel": 2700, "runtime": 8740, "step": 3},
            3774,
        ),
        ("hta/trace_diff/control/*.gz", {"operator": 40506, "kernel": 8568, "memset": 654, "step": 6}, 9450),
        ("kineto/*_0/*.gz", {"kernel": 8772, "memcpy": 12, "memset": 312, "step": 6, "data": 6}, 9096),
        ("hta/critical_path/simple_add/*.json", {"operator": 359, "kernel": 79, "sync": 41}, 98),
    ],
)
def test_real_traces_are_read_whole(name: str, counts: dict[str, int], launches: int) -> None:
    found = KINETO.read([real_trace(name)], Wishes())

    every = [row["kind"] for row in rows(found)]
    assert {kind: every.count(kind) for kind in counts} == counts
    assert len(rows(found, "edges")) == launches
    by_id = {row["id"]: row for row in rows(found)}
    for row in by_id.values():
        holder = by_id.get(row["parent"])
        assert holder is None or holder["start_ns"] <= row["start_ns"] <= row["end_ns"] <= holder["end_ns"]
    for edge in rows(found, "edges"):
        assert by_id[edge["from_phase"]]["kind"] == "runtime"


def test_steps_of_a_real_trace_follow_each_other() -> None:
    found = KINETO.read([real_trace("kineto/*_4/*.gz")], Wishes())

    steps = sorted((row for row in rows(found) if row["kind"] == "step"), key=lambda row: row["start_ns"])
    assert [row["name"] for row in steps] == [f"ProfilerStep#{number}" for number in range(5, 11)]
    assert all(one["end_ns"] <= other["start_ns"] for one, other in pairwise(steps))
    [process] = rows(found, "processes")
    assert (process["pid"], process["rank"], process["name"]) == (5555, 0, "python")
