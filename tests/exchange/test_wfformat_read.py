"""WfFormat of any version is read, and what is none gets a sentence that names the file and the field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from longpole.errors import LongpoleError
from longpole.exchange.unreadable import UnreadableFileError
from tests.exchange.foreign import given
from tests.exchange.wfformat_instances import S, document, pairs, phases, rows, told, uses

Object = dict[str, Any]


def listed(version: str) -> Object:
    """Return an instance of two tasks in a version before 1.5."""
    new = version == "1.4"
    kb = 1 if new else 1000
    names = (
        ("runtimeInSeconds", "sizeInBytes", "memoryInBytes", "readBytes", "writtenBytes")
        if new
        else ("runtime", "size", "memory", "bytesRead", "bytesWritten")
    )
    runtime, size, memory, read, written = names
    tasks = [
        {
            "name": "split_ID0000001",
            "type": "compute",
            "parents": [],
            "files": [
                {"link": "input", "name": "in.txt", size: 100},
                {"link": "output", "name": "part.txt", size: 40},
            ],
            runtime: 2.5,
            "cores": 1,
            "avgCPU": 50.0,
            memory: 3000 // kb,
            read: 7000 // kb,
            written: 9000 // kb,
            "machine": "n1",
        },
        {
            "name": "count_ID0000002",
            "type": "compute",
            "parents": ["split_ID0000001"],
            "files": [{"link": "input", "name": "part.txt", size: 40}],
            runtime: 1,
        },
    ]
    if version != "1.0":
        for number, task in enumerate(tasks, start=1):
            task["id"] = f"ID000000{number}"
            task["category"] = str(task["name"]).partition("_")[0]
    workflow = {
        "executedAt": "20201030T113512+0200",
        "makespanInSeconds" if new else "makespan": 12,
        "machines": [{"nodeName": "n1", memory: 64000 // kb, "cpu": {"count": 4, "speed": 1200}}],
        "tasks" if version in ("1.3", "1.4") else "jobs": tasks,
    }
    wms = {"name": "Makeflow", "version": "7"}
    return {"name": "old", "schemaVersion": version, "wms": wms, "workflow": workflow}


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.3", "1.4"])
def test_older_versions_tell_the_same(version: str) -> None:
    tale = told(listed(version))

    tasks = [(row["name"], row["type"], row["outcome"]) for row in rows(tale, "tasks")]
    assert tasks == [("split_ID0000001", "split", "ran"), ("count_ID0000002", "count", "ran")]
    assert pairs(tale) == {("split_ID0000001", "count_ID0000002")}
    assert uses(tale) == {
        ("split_ID0000001", "in.txt", False),
        ("split_ID0000001", "part.txt", True),
        ("count_ID0000002", "part.txt", False),
    }
    assert [(row["name"], row["bytes"]) for row in rows(tale, "files")] == [("in.txt", 100), ("part.txt", 40)]
    [edge] = rows(tale, "edges")
    assert (edge["kind"], edge["file"], edge["bytes"]) == ("data", 2, 40)
    assert [row["duration_ns"] for row in phases(tale, "exec")] == [5 * S // 2, S]
    assert [row["duration_ns"] for row in phases(tale, "workflow")] == [12 * S]
    [host] = rows(tale, "hosts")
    assert (host["name"], host["cores"], host["memory_bytes"]) == ("n1", 4, 64000)
    assert {row["metric"]: row["value"] for row in rows(tale, "totals")} == {
        "cpu_user_ns": 1.25 * S,
        "read_bytes": 7000.0,
        "written_bytes": 9000.0,
        "peak_memory_bytes": 3000.0,
    }


def test_counters_of_pegasus_were_always_bytes() -> None:
    old = listed("1.2")
    old["wms"]["name"] = "Pegasus"

    read = [row["value"] for row in rows(told(old), "totals") if row["metric"] == "read_bytes"]
    assert read == [7.0]


@pytest.mark.parametrize("version", ["1.2", "1.4"])
def test_older_versions_name_parents_by_name_or_id(version: str) -> None:
    by_id = listed(version)
    tasks = by_id["workflow"]["tasks" if version == "1.4" else "jobs"]
    tasks[1]["parents"] = ["ID0000001"]

    assert pairs(told(by_id)) == pairs(told(listed(version)))


def test_run_without_a_name_is_called_as_the_file() -> None:
    made = document({"a": []})
    del made["name"]

    assert told(given(json.dumps(made), "/data/montage.json")).name == "montage"


def test_words_that_are_not_known_are_passed_over() -> None:
    made = document({"a": []})
    made["workflow"]["specification"]["metrics"] = {"depth": 1}
    made["schemaVersion"] = "1.6"

    assert len(rows(told(made), "tasks")) == 1


def test_null_is_as_good_as_nothing() -> None:
    made = document({"a": []}, makespanInSeconds=None, machines=None)
    made["workflow"]["specification"]["tasks"][0] |= {"parents": None, "inputFiles": None}
    made["workflow"]["execution"]["tasks"][0] |= {"command": {"program": None}, "machines": None}

    assert [row["duration_ns"] for row in phases(told(made), "workflow")] == [None]


def changed(path: str, value: object) -> Object:
    """Return an instance with one value changed; a number in the path is a place in a list."""
    made = document({"a": [], "b": ["a"]})
    made["workflow"]["specification"]["files"] = [{"id": "f", "sizeInBytes": 1}]
    at: Any = made
    *way, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    for word in way:
        at = at[word]
    at[last] = value
    return made


TASKS = "workflow.specification.tasks"
RAN = "workflow.execution.tasks"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (TASKS, [], "its list of tasks is empty."),
        (TASKS, {}, "in workflow.specification.tasks: expected `array`, got `object`."),
        (f"{TASKS}.1", "b", "in workflow.specification.tasks[1]: expected `object`, got `str`."),
        (f"{TASKS}.1.id", 7, "in workflow.specification.tasks[1].id: expected `str`, got `int`."),
        (f"{TASKS}.1.id", 9007199254740993.0, "tasks[1].id: expected `str`, got `float`."),
        (f"{TASKS}.1.id", "a", "several tasks have the id 'a'."),
        (f"{TASKS}.1.id", "", "a task has no id."),
        (f"{TASKS}.1.id", "x" * 70_000, "the id of a task has 70,000 letters; 65,536 can be read."),
        (f"{TASKS}.1.parents", ["zzz"], "task 'b' has the parent 'zzz', which is no task."),
        (f"{TASKS}.1.parents", ["y" * 99], f"task 'b' has the parent '{'y' * 80}...', which is no task."),
        (f"{TASKS}.0.children", ["zzz"], "task 'a' has the child 'zzz', which is no task."),
        (f"{TASKS}.1.parents", "a", "tasks[1].parents: expected `array | null`, got `str`."),
        (f"{TASKS}.1.parents", ["b"], "task 'b' depends on itself."),
        (f"{TASKS}.0.parents", ["b"], "its tasks depend on each other in a circle: "),
        (f"{RAN}.1.runtimeInSeconds", -1, "task 'b' has a runtime of -1 s, which cannot be."),
        (f"{RAN}.1.runtimeInSeconds", 1e300, "task 'b' has a runtime of 1e+300 s, which cannot be."),
        (f"{RAN}.1.runtimeInSeconds", "1", "tasks[1].runtimeInSeconds: expected `float | null`, got `str`."),
        (f"{RAN}.1.id", "a", "its execution has task 'a' more than once."),
        (f"{RAN}.1.id", "zzz", "its execution has task 'zzz', its specification has not."),
        (
            f"{RAN}.1.machines",
            [3],
            "in workflow.execution.tasks[1].machines[0]: expected `str`, got `int`.",
        ),
        ("workflow.execution.makespanInSeconds", -5, "its makespanInSeconds is -5, which cannot be."),
        ("workflow.specification.files.0.sizeInBytes", 1e30, "file 'f' has a size that cannot be."),
        ("workflow.specification.files.0.sizeInBytes", 10**600, "file 'f' has a size that cannot be."),
        ("workflow.specification.files.0.id", None, "files[0].id: expected `str`, got `null`."),
        ("workflow", {}, "its workflow has neither specification nor tasks nor jobs."),
        ("workflow", 3, "in workflow: expected `object`, got `int`."),
        ("schemaVersion", "2.0", "its schemaVersion is '2.0', and 1.0 to 1.6 can be read."),
    ],
)
def test_what_is_wrong_is_one_sentence(path: str, value: object, said: str) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        told(changed(path, value))

    message = str(caught.value)
    assert message.startswith("Nothing can be made of made.json: ")
    assert said in message
    assert message.endswith(".")
    assert "\n" not in message
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    "content",
    [
        b'{"workflow": {"tasks": [{"name": "\xff\xfe"}]}}',
        b'{"workflow": {"tasks": [{"name": "\\ud800"}]}}',
        b'{"workflow": {"tasks": [{"name": "a", "runtime": NaN}]}}',
        b'{"workflow": {"tasks": [{"name": "a", "runtime": 1e999}]}}',
        b'{"workflow": {"tasks": [' + b"[" * 100_000,
        b'{"workflow": {"jobs": [{}]}}',
        b'{"workflow": {"jobs": [{"name": ""}]}}',
        b'{"workflow": {"jobs": [{"name": "a\\nb"}, {"name": "a\\nb"}]}}',
    ],
)
def test_bytes_that_are_no_instance_are_one_sentence(content: bytes) -> None:
    with pytest.raises(LongpoleError) as caught:
        told(given(content))

    assert str(caught.value).startswith("Nothing can be made of trace: ")
    assert "\n" not in str(caught.value)


def test_size_below_zero_is_not_known() -> None:
    made = changed("workflow.specification.files.0.sizeInBytes", -1)

    assert [row["bytes"] for row in rows(told(made), "files")] == [None]


JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**53 + 1,
    10**400,
    1e308,
    -1e308,
    "",
    "a",
    "\x00\n",
    "None",
    [],
    [None],
    [[]],
    {},
    {"a": 1},
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in an object at which something else could be: what it is in, and its key there."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield value, key
        yield from places(inner)


def full(version: str) -> Object:
    """Return an instance with something in every field that is read."""
    if version != "1.5":
        return listed(version)
    made = changed("runtimeSystem", {"name": "x", "version": "1"})
    made["workflow"]["specification"]["tasks"][0] |= {
        "inputFiles": ["f"],
        "outputFiles": ["g"],
        "category": "k",
    }
    amounts = dict.fromkeys(("coreCount", "avgCPU", "readBytes", "writtenBytes", "memoryInBytes"), 1)
    ran = {"machines": ["n"], "command": {"program": "a"}, "executedAt": "2026-11-01T00:00:00Z"}
    made["workflow"]["execution"]["tasks"][0] |= {**amounts, **ran}
    machine = {"nodeName": "n", "architecture": "x", "release": "6", "memoryInBytes": 1}
    made["workflow"]["execution"]["machines"] = [{**machine, "cpu": {"coreCount": 1}}]
    return made


@pytest.mark.parametrize("version", ["1.2", "1.4", "1.5"])
def test_anything_anywhere_is_read_or_refused(version: str) -> None:
    said = []
    for number in range(sum(1 for _ in places(full(version)))):
        for junk in JUNK:
            made = full(version)
            holder, key = list(places(made))[number]
            holder[key] = junk
            try:
                told(made)
            except LongpoleError as error:
                said.append(str(error))
    assert said
    assert not any("\n" in sentence for sentence in said)
