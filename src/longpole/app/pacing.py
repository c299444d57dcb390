"""How fast a run does its tasks, and how long the rest will take, as far as that can be told honestly.

Method: tasks done within the last half minute, by the time between. What is left are the known tasks of
types that have been seen to run; where others are still to come, the rest takes at least so long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from longpole.model.standing import Pace, TypeStanding

_WINDOW_S = 30.0
_LEAST_S = 2.0
_LEAST_TASKS = 5


class PaceMeter:
    """Watches how many tasks are done."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._seen: deque[tuple[float, int]] = deque()

    def pace(self, now_s: float, made: int, types: Sequence[TypeStanding]) -> Pace | None:
        """Return how fast it goes; nothing while too little was seen.

        Args:
            now_s: What the clock says.
            made: How many tasks this driver has made so far.
            types: Where each type of task stands.
        """
        self._seen.append((now_s, made))
        while now_s - self._seen[0][0] > _WINDOW_S and len(self._seen) > 2:
            self._seen.popleft()
        began_s, before = self._seen[0]
        span_s, done = now_s - began_s, made - before
        if span_s < _LEAST_S or done < _LEAST_TASKS:
            return None
        return paced(done / span_s, types)


def paced(per_s: float, types: Sequence[TypeStanding]) -> Pace:
    """Return how long the rest takes at so many tasks in a second."""
    waiting = [each for each in types if each.left + each.running]
    seen = sum(each.left + each.running for each in waiting if each.ran)
    whole = all(each.ran for each in waiting) and all(each.total is not None for each in types)
    return Pace(per_s, seen / per_s if seen else None, whole)
