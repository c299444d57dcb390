"""Levels, longest paths and slack of graphs."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse import graph as module
from longpole.analyse.graph import cycle, longest_path, order, slack_ns
from longpole.errors import CyclicGraphError
from tests.analyse.graphs import dags, graph


def test_a_diamond_worked_by_hand():
    # 0 (2) -> 1 (5) -> 3 (1) and 0 -> 2 (3) -> 3: the path is 0, 1, 3 of 8; 2 may take 2 longer
    diamond, took = graph(4, (0, 1), (0, 2), (1, 3), (2, 3)), np.array([2, 5, 3, 1])

    found = order(diamond, took)

    assert found.level.tolist() == [0, 1, 1, 2]
    assert found.start_ns.tolist() == [0, 2, 2, 7]
    assert found.length_ns == 8
    assert longest_path(diamond, found) == [0, 1, 3]
    assert slack_ns(diamond, took, found).tolist() == [0, 0, 2, 0]


def test_parts_that_nothing_joins_are_one_graph():
    parts, took = graph(4, (0, 1), (2, 3)), np.array([1, 1, 5, 5])

    assert longest_path(parts, order(parts, took)) == [2, 3]


def test_nothing_has_no_path():
    assert order(graph(0), np.zeros(0, np.int64)).length_ns == 0
    assert longest_path(graph(0), order(graph(0), np.zeros(0, np.int64))) == []


def test_a_cycle_is_refused_and_named():
    looped = graph(5, (0, 1), (1, 2), (2, 3), (3, 1), (3, 4))

    with pytest.raises(CyclicGraphError) as caught:
        order(looped, np.ones(5, np.int64))

    nodes = caught.value.nodes
    assert set(nodes) == {1, 2, 3}
    assert set(pairwise([*nodes, nodes[0]])) <= {(1, 2), (2, 3), (3, 1)}
    assert cycle(graph(2, (0, 1))) == []


def test_a_long_chain_is_walked_to_its_end():
    nodes = 20_000
    chain = graph(nodes, *pairwise(range(nodes)))

    found = order(chain, np.ones(nodes, np.int64))

    assert found.length_ns == nodes
    assert longest_path(chain, found) == list(range(nodes))


@given(dags(), st.booleans())
def test_times_are_those_of_the_definition(drawn, lists):
    dag, took = drawn
    befores = {node: dag.before[dag.after == node].tolist() for node in range(dag.nodes)}

    @cache
    def start(node: int) -> int:
        return max((start(before) + int(took[before]) for before in befores[node]), default=0)

    @cache
    def level(node: int) -> int:
        return max((level(before) + 1 for before in befores[node]), default=0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PATIENCE", 0 if lists else 256)  # both ways to walk
        found = order(dag, took)

    assert found.start_ns.tolist() == [start(node) for node in range(dag.nodes)]
    assert found.level.tolist() == [level(node) for node in range(dag.nodes)]


@given(dags())
def test_the_path_is_a_chain_as_long_as_said_and_has_no_slack(drawn):
    dag, took = drawn

    found = order(dag, took)
    path = longest_path(dag, found)

    edges = set(zip(dag.before.tolist(), dag.after.tolist(), strict=True))
    assert set(pairwise(path)) <= edges
    assert took[path].sum() == found.length_ns
    slack = slack_ns(dag, took, found)
    assert not slack[path].any()
    assert (slack >= 0).all()


@given(dags(), st.data())
def test_using_up_the_slack_of_one_task_does_not_lengthen_the_path(drawn, data):
    dag, took = drawn
    node = data.draw(st.integers(0, dag.nodes - 1))
    before = order(dag, took)

    longer = took.copy()
    longer[node] += slack_ns(dag, took, before)[node]

    assert order(dag, longer).length_ns == before.length_ns
    longer[node] += 1
    assert order(dag, longer).length_ns == before.length_ns + 1
