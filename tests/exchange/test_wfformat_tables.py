"""Tables of an instance: what a task took, what it hands over, and where it ran."""

from __future__ import annotations

import json
from typing import Any

from tests.exchange.wfformat_instances import S, document, phases, rows, told, uses


def handing() -> dict[str, Any]:
    """Return an instance in which a hands two files to b, and one to c; d only waits for b."""
    made = document({"a": [], "b": ["a"], "c": ["a"], "d": ["b"]})
    first, second, third, last = made["workflow"]["specification"]["tasks"]
    first |= {"inputFiles": ["in"], "outputFiles": ["x", "y", "x"]}
    second |= {"inputFiles": ["x", "y", "in"], "outputFiles": ["z"]}
    third |= {"inputFiles": ["y", "unlisted"]}
    last |= {"inputFiles": [], "outputFiles": ["None"]}
    made["workflow"]["specification"]["files"] = [
        {"id": name, "sizeInBytes": size} for name, size in (("in", 7), ("x", 10), ("y", 20), ("None", 0))
    ]
    return made


def test_edge_has_the_file_and_bytes_that_are_handed_over() -> None:
    tale = told(handing())

    found = [
        (row["from_task"], row["to_task"], row["kind"], row["file"], row["bytes"])
        for row in rows(tale, "edges")
    ]
    assert found == [
        (1, 2, "data", None, 30),
        (1, 3, "data", 3, 20),
        (2, 4, "control", None, None),
    ]


def test_bytes_are_not_known_where_a_size_is_not() -> None:
    made = handing()
    del made["workflow"]["specification"]["files"][2]["sizeInBytes"]

    assert [row["bytes"] for row in rows(told(made), "edges")] == [None, None, None]


def test_every_file_and_who_uses_it_is_kept() -> None:
    tale = told(handing())

    assert [(row["name"], row["bytes"]) for row in rows(tale, "files")] == [
        ("in", 7),
        ("x", 10),
        ("y", 20),
        ("None", 0),
        ("z", None),
        ("unlisted", None),
    ]
    assert uses(tale) == {
        ("a", "in", False),
        ("a", "x", True),
        ("a", "y", True),
        ("b", "in", False),
        ("b", "x", False),
        ("b", "y", False),
        ("b", "z", True),
        ("c", "y", False),
        ("c", "unlisted", False),
        ("d", "None", True),
    }


def test_workflow_has_the_makespan_and_holds_what_tasks_took() -> None:
    made = document({"a": [], "b": ["a"]})
    made["runtimeSystem"] = {"name": "Pegasus", "version": "5.0"}

    tale = told(made)

    [workflow] = phases(tale, "workflow")
    start = workflow["start_ns"]
    assert (workflow["duration_ns"], workflow["end_ns"] - start, workflow["parent"]) == (5 * S, 5 * S, None)
    assert json.loads(workflow["attributes"]) == {"system": "Pegasus", "version": "5.0"}
    ran = [(row["parent"], row["task"], row["start_ns"], row["duration_ns"]) for row in phases(tale, "exec")]
    assert ran == [(workflow["id"], 1, None, S), (workflow["id"], 2, None, S)]
    assert (tale.source, tale.name) == ("a WfFormat instance of Pegasus", "made")


def test_what_a_task_used_is_declared() -> None:
    used = {"avgCPU": 150.0, "readBytes": 10, "writtenBytes": 20, "memoryInBytes": 30, "coreCount": 2}
    ran = {"id": "a", "runtimeInSeconds": 2.0, **used, "machines": ["n2"]}
    tale = told(document({"a": []}, tasks=[ran], machines=[{"nodeName": "n1", "cpu": {"coreCount": 4}}]))

    [task], [phase] = rows(tale, "tasks"), phases(tale, "exec")
    assert json.loads(task["resources"]) == {"cores": 2, "memory_bytes": 30}
    totals = {row["metric"]: (row["owner"], row["value"], row["source"]) for row in rows(tale, "totals")}
    assert totals == {
        "cpu_user_ns": (phase["id"], 3.0 * S, "declared"),
        "read_bytes": (phase["id"], 10.0, "declared"),
        "written_bytes": (phase["id"], 20.0, "declared"),
        "peak_memory_bytes": (phase["id"], 30.0, "declared"),
    }
    assert json.loads(phase["attributes"]) == {"machines": ["n2"]}
    assert [(row["name"], row["cores"]) for row in rows(tale, "hosts")] == [("n1", 4), ("n2", None)]


def test_amount_below_zero_is_not_known() -> None:
    ran = {"id": "a", "runtimeInSeconds": 2.0, "readBytes": -1, "memoryInBytes": -1}

    tale = told(document({"a": []}, tasks=[ran]))

    assert rows(tale, "totals") == []
    assert rows(tale, "tasks")[0]["resources"] is None


def test_task_that_is_called_otherwise_keeps_its_id() -> None:
    made = document({"a": []})
    made["workflow"]["specification"]["tasks"][0]["name"] = "Align (sample 1)"

    tale = told(made)

    assert [(row["name"], row["type"]) for row in rows(tale, "tasks")] == [("Align (sample 1)", "Align")]
    assert json.loads(phases(tale, "exec")[0]["attributes"]) == {"id": "a"}


def test_start_of_a_task_makes_it_an_interval() -> None:
    ran = [{"id": "a", "runtimeInSeconds": 2.0, "executedAt": "2026-11-01T00:00:01+00:00"}]

    tale = told(document({"a": []}, tasks=ran))

    [workflow], [phase] = phases(tale, "workflow"), phases(tale, "exec")
    assert phase["start_ns"] == workflow["start_ns"] + S
    assert phase["end_ns"] == phase["start_ns"] + 2 * S
    assert tale.gaps == ()
