"""Slots: things that run side by side, so many at a time, scheduled again with other times.

Method: items start in the order in which they did. Each starts when a slot is free and all it depends on has
ended, and after a gap: the time that passed in the recording between the two and its start (dispatch,
launch). Gaps are drawn from all gaps of its class, never its own. How many slots there are is how many ran at
once, unless said otherwise. Where more items would then want the cores than there are, they share
them: an item's time on a core grows, its other time does not. Items spread their time on a core over all of
theirs, or are on one first and wait for something else then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush, heapreplace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.analyse.profile import Profile, profile

Share = NDArray[np.float64]
# For how much of its time an item may seem to run beside those that have a slot: it may be noted too late.
_LATE_SHARE = 0.45
# Items times slots: above this, each item is slowed down by what all want in the mean, as each start and end
# of one changes the pace of all beside it.
_MOST_SHARING = 20_000


@dataclass(frozen=True, eq=False)
class Items:
    """What ran side by side, in the order of their starts, with times from the start of the first.

    What is asked of them for every draw and every change is found out once.

    Attributes:
        starts_ns: When each began.
        ends_ns: When each ended.
        classes: Which class the gap before each is of.
        after: Places of what each depends on.
    """

    starts_ns: Whole
    ends_ns: Whole
    classes: Whole
    after: Sequence[Sequence[int]] = ()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.starts_ns)

    @cached_property
    def slots(self) -> int:
        """How many slots there were: the fewest beside which no item seems to have run for long.

        Starts and ends may be noted too late, so what overlaps others by little is taken for following them.
        """
        running = profile(self.starts_ns, self.ends_ns)
        least, most = 1, max(1, running.peak)
        while least < most:
            middle = (least + most) // 2
            if self._most_beside(running, middle) <= _LATE_SHARE:
                most = middle
            else:
                least = middle + 1
        return least

    def _most_beside(self, running: Profile, slots: int) -> float:
        """Return the largest share of its time that an item ran while more than so many did."""
        above = np.diff(running.at_ns) * (running.running[:-1] > slots)
        until = np.concatenate([[0], np.cumsum(above)])
        began, ended = (np.searchsorted(running.at_ns, at) for at in (self.starts_ns, self.ends_ns))
        shares = (until[ended] - until[began]) / np.maximum(self.ends_ns - self.starts_ns, 1)
        return float(shares.max(initial=0.0))

    @cached_property
    def gaps_ns(self) -> Whole:
        """How long each took to start after it could."""
        return gaps_ns(self)

    @cached_property
    def waits_for(self) -> list[int]:
        """How many others each depends on."""
        return list(map(len, self.after)) if self.after else [0] * len(self)

    @cached_property
    def followers(self) -> list[list[int]]:
        """What depends on each."""
        found: list[list[int]] = [[] for _ in range(len(self))]
        for at, before in enumerate(self.after):
            for one in before:
                found[one].append(at)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Cores:
    """Cores that items share.

    Attributes:
        wanted: How many each item wants while it runs.
        there: How many there are.
        first: Whether items are on a core first, and wait for something else then.
    """

    wanted: Share
    there: float
    first: bool = False

    def pieces(self, took_ns: Whole) -> list[list[tuple[float, float]]]:
        """Return what items do one after the other: for how long, and on how many cores; the last first.

        Examples:
            >>> Cores(np.array([0.25]), 2.0, first=True).pieces(np.array([8]))
            [[(6.0, 0.0), (2.0, 1.0)]]
        """
        pairs = zip(took_ns.astype(np.float64).tolist(), self.wanted.tolist(), strict=True)
        if not self.first:
            return [[(max(took, 1.0), wanted)] for took, wanted in pairs]
        return [
            [(took, wanted)] if wanted >= 1.0 else [(took * (1 - wanted), 0.0), (took * wanted, 1.0)]
            for took, wanted in pairs
        ]

    def slowdown(self, took_ns: Whole, slots: int) -> Share:
        """Return by how much each item slows down among so many like the mean of all."""
        mean = float(np.average(self.wanted, weights=took_ns)) if took_ns.sum() else 0.0
        crowd = max(1.0, mean * slots / self.there)
        on_core = np.minimum(self.wanted, 1.0)
        return (1.0 - on_core) + on_core * crowd

    def suffice(self, slots: int) -> bool:
        """Return whether there are enough for any so many items."""
        most = np.partition(self.wanted, -slots)[-slots:] if slots < len(self.wanted) else self.wanted
        if self.first:
            most = np.where(most > 0, np.maximum(most, 1.0), 0.0)
        return float(most.sum()) <= self.there


def gaps_ns(items: Items) -> Whole:
    """Return how long each item took to start after it could."""
    free_ns = np.zeros(len(items), np.int64)
    busy = [0] * items.slots
    for at, end in enumerate(items.ends_ns.tolist()):
        free_ns[at] = heapreplace(busy, end)
    gaps: Whole = np.maximum(0, items.starts_ns - np.maximum(free_ns, _ready_ns(items)))
    return gaps


def drawn_gaps(items: Items, rng: np.random.Generator) -> Whole:
    """Return a gap for each item, drawn from those of its class."""
    own, drawn = items.gaps_ns, np.zeros(len(items), np.int64)
    for one in np.unique(items.classes):
        here = np.flatnonzero(items.classes == one)
        drawn[here] = rng.permutation(own[here]) if len(here) > 1 else own[here]
    return drawn


def length_ns(items: Items, took_ns: Whole, gaps: Whole, slots: int, cores: Cores | None = None) -> int:
    """Return how long all items take, if each takes so long alone; with ``cores``, while they share these."""
    if cores is not None and not cores.suffice(max(slots, 1)):
        if len(items) * slots <= _MOST_SHARING:
            return round(_Sharing(items, took_ns, gaps, slots, cores).run())
        took_ns = np.rint(took_ns * cores.slowdown(took_ns, slots)).astype(np.int64)
    return _Turns(items, slots).run((took_ns + gaps).tolist())


class _Queue:
    """Items whose dependencies have ended, in the order in which they started in the recording."""

    def __init__(self, items: Items) -> None:
        self.left = items.waits_for.copy()
        self.followers = items.followers
        self.ready = [at for at, left in enumerate(self.left) if not left]  # sorted, so a heap

    def ended(self, at: int) -> None:
        """Take what waited for an item, and for nothing else any more."""
        for after in self.followers[at]:
            self.left[after] -= 1
            if not self.left[after]:
                heappush(self.ready, after)


class _Turns:
    """Items that do not slow each other down."""

    def __init__(self, items: Items, slots: int) -> None:
        self._queue = _Queue(items)
        self._free = max(slots, 1)

    def run(self, took_ns: list[int]) -> int:
        """Return when the last item ends."""
        now, free = 0, self._free
        ending: list[tuple[int, int]] = []
        ready, left, followers = self._queue.ready, self._queue.left, self._queue.followers
        while ready or ending:
            while ready and len(ending) < free:
                at = heappop(ready)
                heappush(ending, (now + took_ns[at], at))
            now, at = heappop(ending)
            for after in followers[at]:  # as in _Queue.ended: a call for each of a million items is dear
                left[after] -= 1
                if not left[after]:
                    heappush(ready, after)
        return now


class _Sharing:
    """Items that share cores, from one start or end of a piece to the next."""

    def __init__(self, items: Items, took_ns: Whole, gaps: Whole, slots: int, cores: Cores) -> None:
        self._queue = _Queue(items)
        self._pieces = cores.pieces(took_ns)
        self._gaps = gaps
        self._free, self._cores = max(slots, 1), cores.there
        self._coming: list[tuple[float, int]] = []
        self._wants: dict[int, float] = {}
        self._left: dict[int, float] = {}
        self._now = 0.0

    def run(self) -> float:
        """Return when the last item ends."""
        while self._queue.ready or self._coming or self._left:
            self._dispatch()
            self._go_on()
            self._end()
            self._begin()
        return self._now

    def _dispatch(self) -> None:
        while self._queue.ready and len(self._coming) + len(self._left) < self._free:
            at = heappop(self._queue.ready)
            heappush(self._coming, (self._now + float(self._gaps[at]), at))

    def _go_on(self) -> None:
        """Let time pass until the next start or end."""
        wanted = sum(self._wants[at] for at in self._left)
        speeds = {at: _speed(self._wants[at], wanted, self._cores) for at in self._left}
        steps = [left / speeds[at] for at, left in self._left.items()]
        if self._coming:
            steps.append(self._coming[0][0] - self._now)
        step = max(0.0, min(steps, default=0.0))
        self._now += step
        self._left = {at: left - step * speeds[at] for at, left in self._left.items()}

    def _end(self) -> None:
        for at in [at for at, left in self._left.items() if left < 1.0]:
            if self._pieces[at]:
                self._left[at], self._wants[at] = self._pieces[at].pop()
            else:
                del self._left[at]
                self._queue.ended(at)

    def _begin(self) -> None:
        while self._coming and self._coming[0][0] <= self._now:
            at = heappop(self._coming)[1]
            self._left[at], self._wants[at] = self._pieces[at].pop()


def _speed(cores: float, wanted: float, there: float) -> float:
    """Return how fast an item goes next to the others: 1 while there are cores for all of them.

    Examples:
        >>> _speed(1.0, wanted=4.0, there=2.0), _speed(0.5, wanted=4.0, there=2.0)
        (0.5, 0.6666666666666666)
    """
    if wanted <= there:
        return 1.0
    on_core = min(cores, 1.0)
    return 1.0 / ((1.0 - on_core) + on_core * wanted / there)


def _ready_ns(items: Items) -> Whole:
    """Return when all that each item depends on had ended; 0 for those that depend on nothing."""
    ready_ns, counts = np.zeros(len(items), np.int64), np.array(items.waits_for, np.int64)
    befores = np.fromiter(chain.from_iterable(items.after), np.int64, int(counts.sum()))
    some = np.flatnonzero(counts)
    if len(some):
        firsts = np.cumsum(counts) - counts
        ready_ns[some] = np.maximum.reduceat(items.ends_ns[befores], firsts[some])
    return ready_ns
