"""Runs whose tasks depend on each other, replayed: what has slack saves nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from longpole.analyse.change import Change
from longpole.analyse.graph import Graph, Order, Whole, order, slack_ns
from longpole.analyse.path import critical_path
from longpole.analyse.releases import dependencies, releases
from longpole.analyse.replay import Replay
from longpole.analyse.tree import Tree
from longpole.model.columns import Columns, integers
from tests.analyse.graphs import dags
from tests.analyse.planted import Planted, S


def as_soon_as_possible(graph: Graph, took: Whole) -> tuple[Tree, Columns, Order]:
    """The run of a graph with as many slots as it takes: its phases and its edges."""
    forward = order(graph, took)
    run = Planted(float(forward.length_ns))
    for node in range(graph.nodes):
        times = float(forward.start_ns[node]), float(forward.finish_ns[node])
        run.phase("exec", f"task {node}", *times, task=node + 1)
    edges = {
        "from_task": integers((graph.before + 1).tolist()),
        "to_task": integers((graph.after + 1).tolist()),
    }
    return run.tree(), Columns(edges), forward


@given(dags(), st.data())
def test_with_unlimited_slots_removing_a_task_with_slack_saves_nothing(drawn, data):
    graph, took = drawn
    took = took + 1
    tree, edges, forward = as_soon_as_possible(graph, took)
    spare = np.flatnonzero(slack_ns(graph, took, forward) > 0)
    assume(len(spare))
    node = int(data.draw(st.sampled_from(spare.tolist())))
    replay = Replay(tree, dependencies(tree, edges))
    slots, every = {0: graph.nodes}, np.arange(1, len(tree))

    gone = np.ones(len(tree))
    gone[tree.task == node + 1] = 0.0
    without = replay.replay(Change(factors=gone, slots=slots, abreast=every)).makespan_ns

    assert without == replay.replay(Change(slots=slots, abreast=every)).makespan_ns == forward.length_ns * S


@given(dags())
def test_the_longest_path_of_the_graph_is_no_longer_than_the_run_and_the_walk_follows_it(drawn):
    graph, took = drawn
    took = took + 1
    tree, edges, forward = as_soon_as_possible(graph, took)

    path = critical_path(tree, releases(tree, edges))

    assert forward.length_ns * S <= tree.end_ns[0] - tree.start_ns[0]
    walked = [int(tree.task[one.phase]) - 1 for one in path]
    assert took[walked].sum() == forward.length_ns
