"""What it would change if twice as many ran at once.

Method: of siblings that ran side by side and were more than ran at once, those that took longest are replayed
on twice as many slots, sharing the cores that are there. Each still waits for what it is known to depend on;
of what nobody declared, nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.replay import Replay
from longpole.analyse.rules.case import Case
from longpole.analyse.rules.siblings import Fan, sorts

_KINDS = ("process", "job", "trial", "exec")
# Fewer than this many rounds are no queue of work, and what a few do is seldom alike.
_FEWEST_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Doubled:
    """What is gained with twice the slots.

    Attributes:
        label: What runs in them.
        slots: How many ran at once.
        saving_s: How much sooner the run would end.
    """

    label: str
    slots: int
    saving_s: float


def doubled(case: Case, replay: Replay) -> Doubled | None:
    """Return what twice the slots of the longest queue of work would gain; None if there is no such."""
    for sort in sorts(case, least=2):
        if sort.kind in _KINDS:
            fan = max(sort.fans, key=lambda one: one.span_ns)
            members = _alike(case, fan)
            if len(members) >= _FEWEST_ROUNDS * fan.slots:
                return Doubled(sort.label, fan.slots, _saving_s(fan, members, replay))
    return None


def _alike(case: Case, fan: Fan) -> Whole:
    """Return all parts of the same phase that are as those of a fan, also those that ran by themselves."""
    tree, codes = case.tree, case.labels.codes
    alike = (tree.parent == fan.parent) & (tree.kind == tree.kind[fan.places[0]])
    return np.flatnonzero(alike & np.isin(codes, codes[fan.places]))


def _saving_s(fan: Fan, members: Whole, replay: Replay) -> float:
    return replay.saving_s(Change(slots={fan.parent: 2 * fan.slots}, abreast=members))
