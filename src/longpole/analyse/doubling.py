"""What it would change if twice as many ran at once.

Method: of siblings that ran side by side and were more than ran at once, those that took longest are replayed
on twice as many slots, sharing the cores that are there. Each still waits for what it is known to depend on;
of what nobody declared, nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.replay import Change, Replay
from longpole.analyse.rules.case import Case
from longpole.analyse.rules.siblings import Fan, Sort, sorts

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
    for sort in sorts(case, least=_FEWEST_ROUNDS * 2):
        if sort.kind in _KINDS:
            fan = max(sort.fans, key=lambda one: one.span_ns)
            if len(_members(sort, fan)) >= _FEWEST_ROUNDS * fan.slots:
                return Doubled(sort.label, fan.slots, _saving_s(sort, fan, replay))
    return None


def _members(sort: Sort, fan: Fan) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.concatenate([one.places for one in sort.fans if one.parent == fan.parent])


def _saving_s(sort: Sort, fan: Fan, replay: Replay) -> float:
    change = Change(slots={fan.parent: 2 * fan.slots}, abreast=_members(sort, fan))
    return (replay.unchanged.makespan_ns - replay.replay(change).makespan_ns) / 1e9
