"""An instance that is written is one by the schema, and reads as the one it was made from."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given as sampled
from hypothesis import settings
from hypothesis import strategies as st

from longpole.exchange.wfformat import tell
from longpole.exchange.wfformat_doubts import without_wrong_starts
from longpole.exchange.wfformat_read import read_instance
from longpole.exchange.wfformat_write import as_allowed, write_instance
from longpole.model.told import Told
from tests.exchange.foreign import real_trace
from tests.exchange.wfformat_instances import REAL, document, rows, validate

Object = dict[str, Any]


def written(content: bytes) -> bytes:
    """Return an instance as it is written once it was read."""
    out = io.BytesIO()
    write_instance(out, as_allowed(read_instance(content))[0], "2026-11-01T00:00:00+00:00")
    return out.getvalue()


def tale_of(content: bytes) -> Told:
    return tell(without_wrong_starts(read_instance(content)))


def tables(tale: Told) -> Object:
    return {name: rows(tale, name) for name in tale.tables}


@pytest.mark.parametrize("name", REAL)
def test_real_instance_is_written_by_the_schema_and_read_as_before(name: str) -> None:
    content = real_trace(f"wfformat/{name}.json").read()

    again = written(content)

    validate(json.loads(again))
    first, second = tale_of(content), tale_of(again)
    assert tables(second) == tables(first)
    assert (second.name, second.source, second.gaps) == (first.name, first.source, first.gaps)


def test_what_is_written_twice_is_the_same() -> None:
    content = real_trace(f"wfformat/{REAL[0]}.json").read()

    assert written(written(content)) == written(content)


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


@settings(max_examples=60)
@sampled(st.lists(NAMES, min_size=1, max_size=6, unique=True), st.lists(NAMES, max_size=4, unique=True))
def test_whatever_tasks_and_files_are_called_is_written_by_the_schema(
    ids: list[str], files: list[str]
) -> None:
    made = document({identity: ids[:at] for at, identity in enumerate(ids)})
    for task in made["workflow"]["specification"]["tasks"]:
        task["inputFiles"] = files
    made["workflow"]["specification"]["files"] = [{"id": file, "sizeInBytes": 1} for file in files]

    again = written(json.dumps(made).encode())

    _validate_ids(json.loads(again))
    first, second = tale_of(json.dumps(made).encode()), tale_of(again)
    kept = ("edges", "opens", "tasks")
    assert {name: tables(second).get(name) for name in kept} == {
        name: tables(first).get(name) for name in kept
    }


def _validate_ids(made: Object) -> None:
    validate(made)
    tasks = [task["id"] for task in made["workflow"]["specification"]["tasks"]]
    assert len(set(tasks)) == len(tasks)


def test_file_that_is_called_otherwise_is_counted() -> None:
    made = document({"a": []})
    made["workflow"]["specification"]["files"] = [
        {"id": name, "sizeInBytes": 1} for name in ("my file", "my_file", "good")
    ]

    instance, renamed = as_allowed(read_instance(json.dumps(made).encode()))

    assert (instance.files.names, renamed) == (["my_file_1", "my_file", "good"], 1)


def test_what_is_not_known_stays_unknown() -> None:
    made = document({"a": [], "b": ["a"]}, makespanInSeconds=None, executedAt="")
    made["workflow"]["specification"]["tasks"][0]["outputFiles"] = ["x"]

    again = written(json.dumps(made).encode())

    validate(json.loads(again))
    first, second = tale_of(json.dumps(made).encode()), tale_of(again)
    assert tables(second) == tables(first)


def test_workflow_that_was_not_executed_has_no_execution() -> None:
    made = document({"a": [], "b": ["a"]})
    del made["workflow"]["execution"]

    again = json.loads(written(json.dumps(made).encode()))

    validate(again)
    assert "execution" not in again["workflow"]


def test_starts_of_tasks_are_written() -> None:
    ran = [{"id": "a", "runtimeInSeconds": 2.5, "executedAt": "2026-11-01T00:00:01.250000+00:00"}]
    made = document({"a": []}, tasks=ran)

    again = written(json.dumps(made).encode())

    validate(json.loads(again))
    [task] = json.loads(again)["workflow"]["execution"]["tasks"]
    assert task == ran[0]
