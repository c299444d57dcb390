"""Which kinds come after which."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.chains import longest_chain
from longpole.analyse.graph import graph_of, order
from longpole.analyse.kind_order import kinds_after
from longpole.model.case import TaskKind


def test_a_kind_of_which_few_depend_on_another_does_not_come_after_it():
    graph = graph_of(5, np.array([0]), np.array([1]))

    assert kinds_after(np.array([0, 1, 1, 1, 1]), 2, graph) == [(), ()]


def test_a_kind_that_depends_on_one_of_many_does_not_come_after_them():
    graph = graph_of(11, np.array([9]), np.array([10]))

    assert kinds_after(np.array([0] * 10 + [1]), 2, graph) == [(), ()]


def test_a_kind_that_depends_on_all_of_another_comes_after_it():
    graph = graph_of(5, np.array([0, 1, 2, 0, 1, 2]), np.array([3, 3, 3, 4, 4, 4]))

    assert kinds_after(np.array([0, 0, 0, 1, 1]), 2, graph) == [(), (0,)]


def test_kinds_that_are_matched_one_to_one_come_after_each_other():
    graph = graph_of(4, np.array([0, 1]), np.array([3, 2]))

    assert kinds_after(np.array([0, 0, 1, 1]), 2, graph) == [(), (0,)]


def test_equally_many_that_are_not_matched_do_not():
    graph = graph_of(4, np.array([0, 0]), np.array([2, 3]))

    assert kinds_after(np.array([0, 0, 1, 1]), 2, graph) == [(), ()]


def test_all_that_feed_groups_come_before_what_gathers_these():
    graph = graph_of(7, np.array([0, 1, 2, 3, 4, 5]), np.array([4, 4, 5, 5, 6, 6]))

    assert kinds_after(np.array([0, 0, 0, 0, 1, 1, 2]), 3, graph) == [(), (), (0, 1)]


def test_what_groups_that_come_after_a_gathering_task_feed_comes_after_it_too():
    graph = graph_of(7, np.array([0, 0, 1, 1, 2, 2]), np.array([1, 2, 3, 4, 5, 6]))

    assert kinds_after(np.array([0, 1, 1, 2, 2, 2, 2]), 3, graph) == [(), (0,), (0,)]


def test_kinds_that_depend_on_each_other_have_no_order():
    graph = graph_of(3, np.array([0, 1]), np.array([1, 2]))

    assert kinds_after(np.array([0, 1, 0]), 2, graph) == [(), ()]


@given(st.data())
def test_means_along_kinds_never_take_longer_than_the_longest_path(data):
    nodes, kinds = data.draw(st.integers(2, 9)), data.draw(st.integers(1, 4))
    pairs = [(a, b) for b in range(nodes) for a in range(b)]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=20))
    kind = np.array(data.draw(st.lists(st.integers(0, kinds - 1), min_size=nodes, max_size=nodes)))
    took = np.array(data.draw(st.lists(st.integers(0, 100), min_size=nodes, max_size=nodes)))
    graph = graph_of(nodes, *np.array(edges, np.int64).T)

    after = kinds_after(kind, kinds, graph)

    names = [TaskKind(str(at), after=tuple(map(str, some))) for at, some in enumerate(after)]
    means = {str(at): float(took[kind == at].mean()) if (kind == at).any() else 0.0 for at in range(kinds)}
    assert longest_chain(names, means).seconds <= order(graph, took).length_ns + 1e-9


def test_a_kind_that_depends_on_itself_comes_after_nothing():
    graph = graph_of(2, np.array([0]), np.array([1]))

    assert kinds_after(np.array([0, 0]), 1, graph) == [()]
