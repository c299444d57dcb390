"""Which of the time that processes waited for cores was of the run's own making.

Method: where phases first run side by side, all that is in them wants so many cores alone. If there were
fewer for the run, they slowed each other down: alone each would take less. If there were enough, others did,
and that stays as it was whatever is changed. What runs by itself keeps its recorded time.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.clusters import Cluster
from longpole.analyse.demand import Demand
from longpole.analyse.slots import Cores
from longpole.analyse.tree import Marks, Tree

Factors = NDArray[np.float64]


def side_by_side(tree: Tree, clusters: Iterable[Cluster]) -> Marks:
    """Return which phases run beside others, or are within one that does."""
    beside = np.zeros(len(tree), np.bool_)
    for cluster in clusters:
        beside[cluster.places] = True
    return tree.with_all_within(beside)


def alone_shares(tree: Tree, clusters: Iterable[Cluster], beside: Marks, demand: Demand) -> Factors:
    """Return which share of its recorded time each phase takes when the run does not slow itself down.

    Args:
        tree: The phases of the run.
        clusters: Those of its clusters that have more than one part.
        beside: Which phases run beside others, or are within one that does.
        demand: What phases want of the cores.
    """
    slowed = np.zeros(len(tree), np.bool_)
    own_ns = np.maximum(tree.self_ns, 0).astype(np.float64)
    on_core = tree.summed_up(own_ns * demand.alone * demand.cores)
    lost = tree.summed_up(own_ns * (1.0 - demand.alone))
    took = (tree.end_ns - tree.start_ns).astype(np.float64)
    wanted = on_core / np.maximum(took - lost, 1.0)
    for cluster in clusters:
        if not beside[tree.parent[cluster.places[0]]]:
            cores = Cores(wanted[cluster.places], demand.there, first=True)
            slowed[cluster.places] = not cores.suffice(cluster.items.slots)
    return np.where(tree.with_all_within(slowed), demand.alone, 1.0)
