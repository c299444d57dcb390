"""Pools: what workers do, put where it was asked for.

Method: a process that another started, and that marked the jobs it did, is a worker of a pool. It lives as
long as the pool does, and waits between jobs, so its life tells nothing: its jobs, and all else it marked,
are taken as parts of what the worker was part of, side by side with those of other workers.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.tree import Marks, Tree, parts_passed_up

# Marks that hold all a worker does: between them it waits for the next.
JOBS = ("job", "trial")


def pooled(tree: Tree) -> Tree:
    """Return the tree without workers of pools, what they did in their place."""
    workers = _workers(tree)
    return parts_passed_up(tree, workers) if workers.any() else tree


def _workers(tree: Tree) -> Marks:
    is_process = np.zeros(len(tree), np.bool_)
    is_process[tree.places_of_kind("process")] = True
    jobs = tree.places_of_kind(*JOBS)
    holders = tree.parent[jobs]
    holders = holders[(holders > 0) & (tree.process[holders] == tree.process[jobs])]
    workers = np.zeros(len(tree), np.bool_)
    workers[holders] = True
    by_another = np.zeros(len(tree), np.bool_)
    above = tree.parent[1:]
    by_another[1:] = (tree.process[above] > 0) & (tree.process[above] != tree.process[1:])
    return workers & is_process & by_another
