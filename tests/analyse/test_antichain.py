"""The most tasks that could run at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from longpole.analyse import antichain as module
from longpole.analyse.antichain import max_antichain
from longpole.analyse.graph import Graph, order
from tests.analyse.graphs import dags, graph


def found(dag: Graph) -> int:
    return max_antichain(dag, order(dag, np.ones(dag.nodes, np.int64))).tasks


@pytest.mark.parametrize(
    ("dag", "expected"),
    [
        (graph(3, (0, 1), (1, 2)), 1),
        (graph(4, (0, 1), (0, 2), (0, 3)), 3),
        (graph(5), 5),
        (graph(0), 0),
        # two chains of different lengths side by side: no level holds what could run at once
        (graph(6, (0, 1), (1, 2), (2, 3), (0, 4), (4, 5)), 2),
        # 1 and 2 at one level, 3 and 4 at the next, but 1, 2's own child and both leaves of it could overlap
        (graph(5, (0, 1), (0, 2), (2, 3), (2, 4)), 3),
    ],
)
def test_worked_by_hand(dag, expected):
    assert found(dag) == expected


@given(dags(most=9))
def test_it_is_the_largest_set_without_dependency(drawn):
    dag, _ = drawn
    reach = np.zeros((dag.nodes, dag.nodes), bool)
    reach[dag.before, dag.after] = True
    for middle in range(dag.nodes):
        reach |= np.outer(reach[:, middle], reach[middle])

    largest = max(
        size
        for size in range(1, dag.nodes + 1)
        if any(not reach[np.ix_(some, some)].any() for some in combinations(range(dag.nodes), size))
    )

    assert found(dag) == largest


def test_of_a_huge_graph_it_is_a_lower_bound_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_EXACT", 4)
    dag = graph(5, (0, 1), (0, 2), (2, 3), (2, 4))

    bound = max_antichain(dag, order(dag, np.ones(5, np.int64)))

    assert (bound.tasks, bound.exact) == (2, False)
