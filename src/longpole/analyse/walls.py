"""The wall: how many tasks the machine holds at once.

Method: nodes there are over nodes of the largest task, rounded down; tasks smaller than a node are packed
into nodes, whole tasks only. It leaves out memory, licences and the limits of a queue.
"""

from __future__ import annotations

from math import floor

from longpole.model.case import Case
from longpole.model.roofline import Wall

# A third of a node three times is a node, whatever floating point says.
_SLACK = 1e-9


def wall_of(case: Case) -> Wall:
    """Return the most tasks that fit at once; at least one, since a task that does not fit is refused."""
    largest = max(case.kinds, key=lambda kind: kind.nodes)
    return Wall(
        max(1, _fitting(case.machine.nodes, largest.nodes)), case.machine.nodes, largest.nodes, largest.name
    )


def _fitting(nodes: int, per_task: float) -> int:
    """Return how many fit.

    Examples:
        >>> _fitting(1792, 64), _fitting(2, 1 / 3), _fitting(3, 2)
        (28, 6, 1)
    """
    if per_task < 1:
        return nodes * floor(1 / per_task + _SLACK)
    return floor(nodes / per_task + _SLACK)
