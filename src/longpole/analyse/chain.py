"""What the longest chain of tasks tells where nobody told when tasks ran.

Method: the time of the tasks on one longest path over the graph, summed by type; and how much shorter the
longest path is if the type that has most of it takes half as long. What the run would gain is not known from
that: waits, slots and transfers are left out.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from longpole.analyse.graph import order
from longpole.analyse.structure import Structure
from longpole.model.columns import Columns
from longpole.units import show_seconds

_MOST_NAMED = 3


def chain_answers(tasks: Columns, graph: Structure) -> tuple[str, str] | None:
    """Return which types of task have most of the longest chain, and what faster ones would change.

    Args:
        tasks: Columns ``type`` and ``duration_ns``, in the order of the graph's ids.
        graph: The structure of the run; None is returned if it tells of no time.
    """
    whole_ns = graph.forward.length_ns
    if not whole_ns:
        return None
    types = [str(one or "?") for one in tasks["type"]]
    took: Counter[str] = Counter()
    for place in graph.path:
        took[types[place]] += int(graph.durations_ns[place])
    named = [f"{what} ({100 * ns / whole_ns:.0f} %)" for what, ns in took.most_common(_MOST_NAMED)]
    impact = (
        f"When tasks ran is not known. Of the longest chain, which takes {show_seconds(whole_ns / 1e9)}, most"
        f" is {', '.join(named)}."
    )
    return impact, _if_faster(types, took.most_common(1)[0][0], graph)


def _if_faster(types: list[str], first: str, graph: Structure) -> str:
    chosen = np.array([one == first for one in types])
    faster = np.where(chosen, graph.durations_ns // 2, graph.durations_ns)
    saved_s = (graph.forward.length_ns - order(graph.graph, faster).length_ns) / 1e9
    return (
        f"If {first} were twice as fast, the longest chain would take {show_seconds(saved_s)} less; what the"
        " run would gain is not known."
    )
