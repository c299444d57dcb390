"""The structure of a run: tasks, edges, levels, width, the longest path, and how many could run at once.

Method: the graph of declared dependencies alone (``graph``, ``antichain``); a task takes as long as its last
attempt. ``asap`` is the schedule in which each task starts as soon as all before it have ended, with as many
slots as that takes. What leaves out waiting and transfers is a lower bound of the makespan.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.antichain import Antichain, max_antichain, widest_level
from longpole.analyse.arrays import places
from longpole.analyse.graph import Graph, Order, Whole, graph_of, longest_path, order, slack_ns
from longpole.analyse.profile import profile
from longpole.analyse.tree import known_rows, numbers
from longpole.errors import CyclicGraphError
from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """What the graph of a run's tasks tells.

    Attributes:
        ids: Ids of the tasks, by place in the graph.
        graph: Who depends on whom.
        durations_ns: How long each task took; 0 where it is not known.
        forward: Levels and earliest times.
        slack_ns: By how much each may take longer.
        path: Places of the tasks of a longest path.
        antichain: How many could run at once.
    """

    ids: Whole
    graph: Graph
    durations_ns: Whole
    forward: Order
    slack_ns: Whole
    path: tuple[int, ...]
    antichain: Antichain

    @property
    def levels(self) -> int:
        """How many tasks the longest chain has, by number."""
        return int(self.forward.level.max(initial=-1)) + 1

    @property
    def width(self) -> int:
        """How many tasks the widest level has."""
        return widest_level(self.forward)

    @property
    def asap_peak(self) -> int:
        """How many tasks would run at once if each started as soon as it could."""
        return profile(self.forward.start_ns, self.forward.finish_ns).peak


def structure(tasks: Columns, edges: Columns) -> Structure:
    """Return the structure of a graph.

    Args:
        tasks: Columns ``id``, ``name`` and ``duration_ns``, one row for each task.
        edges: Columns ``from_task`` and ``to_task``; those to tasks that are not there count for nothing.

    Raises:
        CyclicGraphError: Tasks depend on themselves; the message names some.
    """
    ids = numbers(tasks["id"])
    took = np.where(known_rows(tasks["duration_ns"]), numbers(tasks["duration_ns"]), 0)
    graph = _graph(ids, edges)
    try:
        forward = order(graph, took)
    except CyclicGraphError as error:
        names = [str(tasks["name"][at]) for at in error.nodes]
        raise CyclicGraphError(error.nodes, names) from error
    slack = slack_ns(graph, took, forward)
    path = tuple(longest_path(graph, forward))
    return Structure(ids, graph, took, forward, slack, path, max_antichain(graph, forward))


def _graph(ids: Whole, edges: Columns) -> Graph:
    ends = [places(ids, numbers(edges[name])) for name in ("from_task", "to_task")]
    there = (ends[0] >= 0) & (ends[1] >= 0) & (ends[0] != ends[1])
    return graph_of(len(ids), ends[0][there], ends[1][there])
