"""The budget: how much of each step may be noted so that recording stays below 1 % of its time.

Method: the agent has 0.45 % of a core; hooks get 0.5 % of a step. What a step costs to note with its parts
was measured (``benchmarks/overhead.py``) in units of one look at the clock, which is timed here, so that it
holds on slower machines. Steps that are long enough are all noted in full. In a loop of shorter ones the
hooks are quiet: steps are counted in a histogram, and every so often a few are noted in full. The time of a
step is the mean over the last block of its kind.
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
# What noting may take of the time of steps.
SHARE = 0.005
# What it takes, in looks at the clock: a step of each kind in full; see docs/frameworks.md.
_FULL_LOOKS = (180, 120, 120)
# Steps of this length or more are noted in full wherever it is.
_LONG_ENOUGH_NS = 1_900_000
# Of the steps of a quiet loop, one in so many is noted in full.
_ONE_IN = 50
_FEW = 8
_BLOCK = 32
_LONG_NS = 1_000_000_000


class Budget:
    """What is noted of the steps of one loop."""

    def __init__(self, ring: Ring) -> None:
        """Begin in full, until steps have been measured."""
        self._ring = ring
        self._detail = os.environ.get(DETAIL_VARIABLE, "auto")
        self._look_ns = 0.0
        self._kinds = [_Kind() for _ in STEP_KINDS]

    @property
    def quiet(self) -> bool:
        """Whether parts of training steps need not be looked at for now."""
        return self.counts(0)

    def counts(self, kind: int) -> bool:
        """Return whether the next steps of a kind are only counted."""
        state = self._kinds[kind]
        return state.counted and state.wanted <= 0

    def in_full(self, kind: int, took_ns: int, with_parts: bool) -> bool:  # noqa: FBT001
        """Return whether a step that has taken so long is noted in full; it is counted otherwise."""
        state = self.count(kind, 1, took_ns)
        if not state.counted:
            return True
        if not with_parts:
            return False
        state.wanted -= 1
        return kind == 0 or state.wanted >= 0

    def count(self, kind: int, steps: int, took_ns: int) -> _Kind:
        """Take steps into account that together have taken so long; return what is known of their kind."""
        state = self._kinds[kind]
        state.steps += steps
        state.total_ns += took_ns
        if state.steps >= _BLOCK or state.total_ns > _LONG_NS:
            self._choose(kind, state)
        if state.counted:
            state.passed += steps
            if state.passed >= _FEW * _ONE_IN:
                state.passed, state.wanted = 0, _FEW
        return state

    def _choose(self, kind: int, state: _Kind) -> None:
        mean_ns = state.total_ns / state.steps
        state.steps = state.total_ns = 0
        if not self._look_ns:
            self._look_ns = _time_a_look()
            self._ring.grow()
        cost_ns = _FULL_LOOKS[kind] * self._look_ns
        counted = self._too_short(mean_ns, cost_ns, state.counted)
        if counted != state.counted or not state.chosen:
            state.counted, state.chosen, state.wanted = counted, True, 0
            self._say(kind, state, mean_ns, cost_ns)

    def _too_short(self, mean_ns: float, cost_ns: float, was: bool) -> bool:  # noqa: FBT001
        """Return whether steps are only counted; what was chosen holds until it is clearly wrong."""
        if self._detail != "auto":
            return self._detail == "low"
        slack = 0.8 if was else 1.0
        return mean_ns * slack < _LONG_ENOUGH_NS and cost_ns > SHARE * mean_ns * slack

    def _say(self, kind: int, state: _Kind, mean_ns: float, cost_ns: float) -> None:
        every = _ONE_IN if state.counted else 1
        facts = {"detail": self._detail, "every": every, "step_ns": round(mean_ns), "cost_ns": round(cost_ns)}
        remark(about="detail", kind=STEP_KINDS[kind], **facts)


class _Kind:
    """What is known of the steps of one kind."""

    __slots__ = ("chosen", "counted", "passed", "steps", "total_ns", "wanted")

    def __init__(self) -> None:
        self.passed = self.steps = self.total_ns = self.wanted = 0
        self.chosen = self.counted = False


def _time_a_look() -> float:
    """Return how long a look at the clock takes, disturbances left out."""
    times = [monotonic_ns() for _ in range(102)]
    between = sorted(after - before for before, after in zip(times, times[1:]))
    return float(between[50]) or 1.0
