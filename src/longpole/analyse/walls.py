"""The wall: how many tasks the machine holds at once.

Method: nodes there are over nodes of one task, rounded down; tasks smaller than a node are packed into nodes,
whole tasks only. Of several kinds the one counts of which there are most, and the largest of these. It leaves
out memory, licences and the limits of a queue.
"""

from __future__ import annotations

from longpole.model.case import Case
from longpole.model.roofline import Wall


def wall_of(case: Case) -> Wall:
    """Return the most tasks that fit at once; at least one, since a task that does not fit is refused."""
    kind = case.main_kind
    return Wall(max(1, case.machine.fitting(kind.nodes)), case.machine.nodes, kind.nodes, kind.name)
