"""Which kinds come after which."""

from __future__ import annotations

import numpy as np

from longpole.analyse.graph import graph_of
from longpole.analyse.kind_order import kinds_after


def test_a_kind_of_which_few_depend_on_another_does_not_come_after_it():
    graph = graph_of(5, np.array([0]), np.array([1]))

    assert kinds_after(np.array([0, 1, 1, 1, 1]), 2, graph) == [(), ()]


def test_kinds_that_depend_on_each_other_make_no_circle():
    graph = graph_of(3, np.array([0, 1]), np.array([1, 2]))

    assert kinds_after(np.array([0, 1, 0]), 2, graph) in ([(), (0,)], [(1,), ()])


def test_a_kind_that_depends_on_itself_comes_after_nothing():
    graph = graph_of(2, np.array([0]), np.array([1]))

    assert kinds_after(np.array([0, 0]), 1, graph) == [()]
