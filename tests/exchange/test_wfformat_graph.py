"""Dependencies: the same graph, whoever names whom, and a sentence for what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given as sampled
from hypothesis import strategies as st

from longpole.exchange.unreadable import UnreadableFileError
from tests.exchange.wfformat_instances import document, pairs, rows, told

Edges = set[tuple[int, int]]


def graph(edges: Edges, count: int, sides: dict[tuple[int, int], str]) -> dict[str, Any]:
    """Return an instance in which each dependency is named by the one, the other or both."""
    made = document({f"t{task}": [] for task in range(count)})
    tasks = made["workflow"]["specification"]["tasks"]
    for before, after in edges:
        if sides[before, after] != "child":
            tasks[after]["parents"].append(f"t{before}")
        if sides[before, after] != "parent":
            tasks[before]["children"].append(f"t{after}")
    return made


@sampled(st.data())
def test_any_graph_is_read_as_it_is(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 8))
    order = data.draw(st.permutations(range(count)))
    forward = [(order[a], order[b]) for b in range(count) for a in range(b)]
    edges = data.draw(st.sets(st.sampled_from(forward))) if forward else set()
    sides = {edge: data.draw(st.sampled_from(["parent", "child", "both"])) for edge in edges}

    tale = told(graph(edges, count, sides))

    assert [row["name"] for row in rows(tale, "tasks")] == [f"t{task}" for task in range(count)]
    assert pairs(tale) == {(f"t{before}", f"t{after}") for before, after in edges}
    assert len(rows(tale, "edges")) == len(edges)


@sampled(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=15))
def test_graph_is_read_or_one_of_its_cycles_is_told(edges: Edges) -> None:
    made = graph(edges, 6, dict.fromkeys(edges, "both"))
    try:
        found = pairs(told(made))
    except UnreadableFileError as error:
        said = str(error)
    else:
        assert found == {(f"t{before}", f"t{after}") for before, after in edges}
        return
    if "itself" in said:
        assert any(f"task 't{task}' depends on itself." in said for task, other in edges if task == other)
        return
    cycle = [int(word.strip("'.")[1:]) for word in said.partition("circle: ")[2].split(", ")]
    assert set(zip(cycle, [*cycle[1:], cycle[0]], strict=True)) <= edges


def test_long_cycle_is_told_in_part() -> None:
    ring = {f"t{task}": [f"t{(task - 1) % 30}"] for task in range(30)}

    with pytest.raises(UnreadableFileError, match=r"in a circle: 't\d+', .* and 20 more\.$"):
        told(document(ring))


def test_several_components_are_one_workflow() -> None:
    tale = told(document({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": []}))

    assert pairs(tale) == {("a", "b"), ("c", "d")}
    assert len(rows(tale, "tasks")) == 5


def test_empty_parent_is_nobody() -> None:
    made = document({"a": [], "b": ["a"]})
    made["workflow"]["specification"]["tasks"][0]["parents"] = [""]

    assert pairs(told(made)) == {("a", "b")}


def test_name_that_one_task_has_stands_for_its_id() -> None:
    made = document({"1": [], "2": ["first"]})
    tasks = made["workflow"]["specification"]["tasks"]
    tasks[0] |= {"name": "first", "children": ["2"]}

    assert pairs(told(made)) == {("first", "2")}
    tasks[1]["name"] = "first"
    with pytest.raises(UnreadableFileError, match="'first', which is the name of several tasks"):
        told(made)


@pytest.mark.parametrize("key", ["parents", "children"])
def test_one_side_is_enough(key: str) -> None:
    made = document({"a": [], "b": ["a"], "c": ["a", "b"]})
    for task in made["workflow"]["specification"]["tasks"]:
        del task[key]

    assert pairs(told(made)) == {("a", "b"), ("a", "c"), ("b", "c")}


def test_where_no_dependency_is_declared_files_tell_them() -> None:
    made = document({"a": [], "b": [], "c": []})
    first, second, third = made["workflow"]["specification"]["tasks"]
    first["outputFiles"] = second["inputFiles"] = ["x"]
    second["outputFiles"] = third["inputFiles"] = third["outputFiles"] = ["y"]

    tale = told(made)

    assert pairs(tale) == {("a", "b")}  # two tasks write y
    assert any("No dependencies are declared" in gap for gap in tale.gaps)
    assert json.dumps(rows(tale, "edges")[0]["kind"]) == '"data"'
