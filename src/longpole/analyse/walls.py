"""The wall: how many tasks the machine holds at once.

Method: nodes there are over nodes of the largest task, rounded down; tasks smaller than a node are packed
into nodes, whole tasks only. It leaves out memory, licences and the limits of a queue.
"""

from __future__ import annotations

from longpole.model.case import Case
from longpole.model.roofline import Wall


def wall_of(case: Case) -> Wall:
    """Return the most tasks that fit at once; at least one, since a task that does not fit is refused."""
    largest = max(case.kinds, key=lambda kind: kind.nodes)
    fitting = case.machine.fitting(largest.nodes)
    return Wall(max(1, fitting), case.machine.nodes, largest.nodes, largest.name)
