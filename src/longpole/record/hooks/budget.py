"""The budget: how much of each step may be noted so that recording stays below 1 % of its time.

Method: the agent has 0.45 % of a core; hooks get 0.5 % of a step. What it costs to note a step in full was
measured (``benchmarks/overhead.py``) in units of one look at the clock, which is timed here, so that it holds
on slower machines. Steps long enough are all noted in full; of shorter ones every Nth, and the others are
counted in a histogram. The step time is the mean over the last block of steps of one kind.
"""

from __future__ import annotations

import os
from time import monotonic_ns

from longpole.log.slots import STEP_KINDS
from longpole.record.client.phases import remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.client.ring import Ring

DETAIL_VARIABLE = "LONGPOLE_DETAIL"
# Of the time of steps: what noting may take of it, and what those in full may among steps that are counted.
SHARE = 0.005
_SHARE_IN_FULL = 0.001
# What noting a step in full, and counting it, takes, in looks at the clock; see docs/frameworks.md.
_FULL_LOOKS, _COUNT_LOOKS = 90, 45
_BLOCK = 32
_SLOWEST_S = 1.0


class Budget:
    """What is noted of the steps of one loop."""

    def __init__(self, ring: Ring) -> None:
        """Begin in full, until steps have been measured."""
        self._ring = ring
        self._detail = os.environ.get(DETAIL_VARIABLE, "auto")
        self._look_ns = 0.0
        self._kinds = [_Kind() for _ in STEP_KINDS]

    def in_full(self, kind: int, took_ns: int) -> bool:
        """Return whether a step that has taken so long is noted in full; it is counted otherwise."""
        state = self._kinds[kind]
        state.steps += 1
        state.total_ns += took_ns
        if state.steps >= _BLOCK or state.total_ns > _SLOWEST_S * 1e9:
            self._choose(kind, state)
        state.turn += 1
        if state.turn < state.every:
            return False
        state.turn = 0
        return True

    def _choose(self, kind: int, state: _Kind) -> None:
        mean_ns = state.total_ns / state.steps
        state.steps = state.total_ns = 0
        if not self._look_ns:
            self._look_ns = _time_a_look()
            self._ring.grow()
        every = self._every(mean_ns)
        # Between two choices the one made holds until it is clearly wrong: steps vary.
        if state.every == 0 or not 0.8 < (every + 1) / (state.every + 1) < 1.25:
            state.every = every
            self._say(kind, every, mean_ns)

    def _every(self, mean_ns: float) -> int:
        """Return that every so many steps, one is noted in full."""
        full_ns = _FULL_LOOKS * self._look_ns
        if self._detail == "high" or (self._detail != "low" and full_ns <= SHARE * mean_ns):
            return 1
        return max(2, int(full_ns / (_SHARE_IN_FULL * max(mean_ns, 1.0))))

    def _say(self, kind: int, every: int, mean_ns: float) -> None:
        cost_ns = (_FULL_LOOKS if every == 1 else _COUNT_LOOKS) * self._look_ns
        remark(
            about="detail",
            kind=STEP_KINDS[kind],
            detail=self._detail,
            every=every,
            step_ns=round(mean_ns),
            cost_ns=round(cost_ns),
        )


class _Kind:
    """What is known of the steps of one kind; ``every`` is 0 as long as nothing was chosen."""

    __slots__ = ("every", "steps", "total_ns", "turn")

    def __init__(self) -> None:
        self.every = self.steps = self.total_ns = self.turn = 0


def _time_a_look() -> float:
    times = [monotonic_ns() for _ in range(101)]
    return (times[-1] - times[0]) / 100
