"""Lost time: which share of each phase's own time was lost, if it is known when how much was.

Method: what was lost during a phase is what was lost over its time. For a serial phase what was lost during
its parts is taken off, so that shares of own time add up to what was lost; for others the share over the
whole phase is taken. The own time of some phases, as the run's, is nobody's work, and loses nothing. All that
ran at a moment is taken to lose alike.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.path import nobodys
from longpole.analyse.rules.case import Case
from longpole.analyse.rules.measured import Curve, Numbers


def lost_shares(case: Case, lost: Curve) -> Numbers:
    """Return which share of each phase's own time was lost.

    Args:
        case: The run.
        lost: The share of time that is lost, from 0 to 1.
    """
    tree = case.tree
    over_ns = lost.integral(tree.start_ns, tree.end_ns)
    whole = over_ns / np.maximum(case.took_ns, 1)
    own_ns = over_ns.copy()
    np.subtract.at(own_ns, tree.parent[1:], over_ns[1:])
    own = own_ns / np.maximum(tree.self_ns, 1)
    shares: Numbers = np.clip(np.where(tree.serial, own, whole), 0.0, 1.0)
    return without_nobody(case, shares)


def without_nobody(case: Case, shares: Numbers) -> Numbers:
    """Return shares, but none for phases whose own time is nobody's work."""
    found = shares.copy()
    found[nobodys(case.tree)] = 0.0
    return found


def on_path_ns(case: Case, shares: Numbers) -> float:
    """Return how much of the critical path was lost."""
    return float((case.on_path_ns * shares).sum())


def worst_phase(case: Case, shares: Numbers) -> str:
    """Return what lost most on the critical path."""
    lost = case.on_path_ns * shares
    sums = np.bincount(case.labels.codes, lost, minlength=len(case.labels.words))
    return case.labels.words[int(sums.argmax())] or "?"


def less(shares: Numbers, part: float = 1.0) -> Change:
    """Return the change in which a part of what was lost is not lost."""
    return Change(factors=1.0 - np.clip(part * shares, 0.0, 1.0))
