"""Rounds over all probes: whose turn it is, so that the repeats of each are spread over the whole time.

Method: it is the turn of whichever probe has had the least time so far, for each repeat that it must have.
Noise on a machine that others use comes in bursts of seconds; so taken in turns, a burst meets some repeats
of each probe and not all repeats of one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from longpole.measure.cores import Ticks, ticks
from longpole.measure.probe import Probe, UnmeasurableError

Clock = Callable[[], float]
Tell = Callable[[float], None]


@dataclass(slots=True)
class Turns:
    """A probe, and what its turns gave.

    Attributes:
        names: What of it is wanted.
        probe: The probe.
        values: Repeats so far, by name.
        spent_s: How long all its turns took.
        cores_s: How many core seconds there were in that time.
        others_s: How many of them others had.
        failure: Why it has no more turns; empty if it may have.
    """

    names: tuple[str, ...]
    probe: Probe
    values: dict[str, list[float]] = field(default_factory=dict)
    spent_s: float = 0.0
    cores_s: float = 0.0
    others_s: float = 0.0
    failure: str = ""

    @property
    def repeats(self) -> int:
        """How many turns it had."""
        return max((len(values) for values in self.values.values()), default=0)

    @property
    def others(self) -> float:
        """Which share of the cores others held during its turns, if it needs them."""
        return min(1.0, max(0.0, self.others_s / self.cores_s)) if self.cores_s else 0.0

    @property
    def lacks(self) -> bool:
        """Whether it must have more turns, whatever time it is."""
        return not self.failure and self.repeats < self.probe.least


def take_turns(
    all_turns: Iterable[Turns],
    seconds: float,
    tell: Tell,
    clock: Clock = time.monotonic,
    look: Callable[[], Ticks] = ticks,
) -> None:
    """Let probes have turns until the time is spent and each has had as many as it must.

    Args:
        all_turns: The probes; what their turns give is added to them.
        seconds: How long, all in all.
        tell: Told after each turn how many seconds have gone by.
        clock: What time it is.
        look: What the cores have done so far.
    """
    begun, waiting = clock(), list(all_turns)
    while waiting:
        over = clock() - begun >= seconds
        waiting = [turns for turns in waiting if not turns.failure and (turns.lacks or not over)]
        if not waiting:
            return
        _turn(min(waiting, key=lambda turns: turns.spent_s / turns.probe.least), clock, look)
        tell(clock() - begun)


def _turn(turns: Turns, clock: Clock, look: Callable[[], Ticks]) -> None:
    before, begun = look(), clock()
    try:
        found = turns.probe.trial()
    except (UnmeasurableError, OSError, MemoryError) as error:
        turns.failure = sentence(error)
        return
    took_s = clock() - begun
    turns.spent_s += took_s
    if turns.probe.on_cores:
        turns.cores_s += took_s * before.cores
        turns.others_s += before.others_s(look())
    for name in turns.names:
        if name in found:
            turns.values.setdefault(name, []).append(found[name])


def sentence(error: Exception) -> str:
    """Return why something failed, as a sentence."""
    if isinstance(error, UnmeasurableError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for it."
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"It failed: {text or type(error).__name__}."
