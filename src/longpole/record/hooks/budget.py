"""The budget: how much of each step may be noted so that recording stays below 1 % of its time.

Method: the agent has 0.2 % of a core; hooks get 0.5 % of a step. What a step costs to note with its parts was
measured in a loop of training, where the caches are cold, in units of one look at the clock in a tight loop,
which is timed here, so that it holds on slower machines. Steps that are long enough are all noted in full. Of
shorter ones that go alike, each is noted with its wait for data, and some in full. Even shorter ones are
counted in a histogram, and every so often a few are noted in full. The time of a step is the mean over the
last block of its kind.
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
_FULL_LOOKS = (1200, 450, 450)
# Steps of this length or more are noted in full wherever it is.
_LONG_ENOUGH_NS = 1_900_000
# Of steps that are counted, and of those that are noted lightly, one in so many is noted in full.
_ONE_IN = 100
_ONE_LIGHT_IN = 64
_FEW = 8
_BLOCK = 32
# How long steps wait to be looked at together.
LONGEST_WAIT_NS = 400_000_000
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
    def light(self) -> bool:
        """Whether parts of training steps need not be looked at for now."""
        return self._kinds[0].every > 1 and self._kinds[0].wanted <= 0

    def typical_ns(self, kind: int) -> int:
        """Return how long steps of a kind took, on average, when that was last looked at."""
        return self._kinds[kind].mean_ns

    def wait_ns(self, kind: int) -> int:
        """Return how long steps may wait to be looked at: those of a sample in full until it is complete."""
        state = self._kinds[kind]
        sampled = state.every > 1 and state.wanted > 0
        return min(LONGEST_WAIT_NS, state.wanted * state.mean_ns) if sampled else LONGEST_WAIT_NS

    def counts(self, kind: int) -> bool:
        """Return whether the next steps of a kind are only counted."""
        state = self._kinds[kind]
        return state.counted and state.wanted <= 0

    def in_full(self, kind: int, took_ns: int, with_parts: bool) -> bool:  # noqa: FBT001
        """Return whether a step that has taken so long is noted in full; it is counted otherwise."""
        state = self.count(kind, 1, took_ns)
        state.wanted -= with_parts
        if not state.counted:
            return True
        return with_parts and (kind == 0 or state.wanted >= 0)

    def count(self, kind: int, steps: int, took_ns: int) -> _Kind:
        """Take steps into account that together have taken so long; return what is known of their kind."""
        state = self._kinds[kind]
        state.steps += steps
        state.total_ns += took_ns
        if state.steps >= _BLOCK or state.total_ns > _LONG_NS:
            self._choose(kind, state)
        if state.every > 1:
            state.passed += steps
            if state.passed >= _FEW * state.every:
                state.passed, state.wanted = 0, _FEW
        return state

    def _choose(self, kind: int, state: _Kind) -> None:
        mean_ns = state.total_ns / state.steps
        state.mean_ns = round(mean_ns)
        state.steps = state.total_ns = 0
        if not self._look_ns:
            self._look_ns = _time_a_look()
            self._ring.grow()
        cost_ns = _FULL_LOOKS[kind] * self._look_ns
        every = self._one_in(kind, mean_ns, cost_ns, state.every)
        if every != state.every:
            state.every, state.wanted = every, 0
            self._say(kind, state, mean_ns, cost_ns)

    def _one_in(self, kind: int, mean_ns: float, cost_ns: float, was: int) -> int:
        """Return of how many steps one is noted in full; what was chosen holds until it is clearly wrong."""
        if self._detail != "auto":
            return _ONE_IN if self._detail == "low" else 1
        if cost_ns <= SHARE * mean_ns * (0.8 if was > 1 else 1.0):
            return 1
        if mean_ns * (0.8 if was == _ONE_IN else 1.0) < _LONG_ENOUGH_NS:
            return _ONE_IN
        return _ONE_LIGHT_IN if kind == 0 else 1

    def _say(self, kind: int, state: _Kind, mean_ns: float, cost_ns: float) -> None:
        facts = {"every": state.every, "step_ns": round(mean_ns), "cost_ns": round(cost_ns)}
        remark(about="detail", kind=STEP_KINDS[kind], detail=self._detail, light=not state.counted, **facts)


class _Kind:
    """What is known of the steps of one kind; ``every`` is of how many one is noted in full, 0 at first."""

    __slots__ = ("every", "mean_ns", "passed", "steps", "total_ns", "wanted")

    def __init__(self) -> None:
        self.every = self.passed = self.steps = self.total_ns = self.wanted = self.mean_ns = 0

    @property
    def counted(self) -> bool:
        """Whether the others are only counted."""
        return self.every == _ONE_IN


def _time_a_look() -> float:
    """Return how long a look at the clock takes, disturbances left out."""
    times = [monotonic_ns() for _ in range(102)]
    between = sorted(after - before for before, after in zip(times, times[1:]))
    return float(between[50]) or 1.0
