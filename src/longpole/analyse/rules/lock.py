"""Locks: things run side by side, and only one of them at a time gets on.

Method: concurrent siblings (processes, or threads of one process; at least 2, 1.5 at once on average) that
together use at most 1.1 cores and at least 0.6, while a core is free, hardly anything waits for I/O (less
than 10 % of the time), and none of them has started a process that it could wait for. Something serialises
them: a lock, or for threads of one Python the interpreter's (GIL); which one is a guess. Besides, phases of
kind ``lock`` or ``wait``, or named after a lock, of at least two threads or processes: these were seen to
wait. Workers that lack work look alike if one of them is always busy; so half of the gain is the least.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds
from longpole.analyse.rules.lost import less
from longpole.analyse.rules.measured import BUSY, IO_WAIT, averaged, cores_used, pressure, rows
from longpole.analyse.rules.siblings import Fan, Sort, sorts, within_ns
from longpole.analyse.tree import Marks

MOST_CORES = 1.1
LEAST_CORES = 0.6
LEAST_AT_ONCE = 1.5
MOST_IO = 0.1
LEAST_PATH_SHARE = 0.05
_MOST = 2
_MOST_FANS = 50
_NAMED = re.compile(r"(?<![a-z])(lock|mutex|semaphore)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lock:
    """The rule."""

    name: str = "lock"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield what was seen to wait for a lock, then siblings that get on one at a time."""
        if not case.makespan_ns:
            return
        waits = _lock_waits(case)
        if len(waits) and case.path_share(waits) >= LEAST_PATH_SHARE:
            yield _waiting(self.name, case, waits)
        path_ns, parents = within_ns(case), _started_processes(case)
        least_ns = LEAST_PATH_SHARE * case.makespan_ns
        on_path = [sort for sort in sorts(case, 2) if path_ns[sort.places].sum() >= least_ns]
        for sort in on_path[:_MOST]:
            held = [one for fan in sort.fans[:_MOST_FANS] if (one := _held(case, fan, parents))]
            if held:
                yield _serialised(self.name, sort, held)


RULE = Lock()


@dataclass(frozen=True, slots=True)
class _Held:
    """Siblings that get on one at a time, the cores that they use, and those that they could."""

    fan: Fan
    used: float
    cores: float
    threads: bool

    @property
    def speed(self) -> float:
        """How many times as fast they would go without the lock."""
        return max(1.0, min(float(self.fan.slots), self.cores) / max(self.used, 1.0))


def _held(case: Case, fan: Fan, parents: Marks) -> _Held | None:
    """Return siblings with what they use, if something serialises them."""
    tree = case.tree
    processes = np.unique(tree.process[fan.places])
    threads = len(processes) == 1 and len(np.unique(tree.lane[fan.places])) > 1
    if fan.mean_at_once < LEAST_AT_ONCE or not processes.all() or parents[fan.places].any():
        return None
    if not threads and len(processes) < 2:
        return None
    begin = int(tree.start_ns[fan.places[0]])
    window = begin, begin + fan.span_ns
    used = cores_used(case, processes, *window)
    if used is None or not LEAST_CORES <= used <= MOST_CORES or _io(case, *window) > MOST_IO:
        return None
    free = _free_cores(case, used, *window)
    return _Held(fan, used, used + free, threads) if free >= 1.0 else None


def _free_cores(case: Case, used: float, start_ns: int, end_ns: int) -> float:
    """Return how many cores nobody used; as far as is known, nobody but the siblings did."""
    host = rows(case, "cpu", *BUSY)
    busy = averaged(host)
    if busy is None or not host.capacity:
        return case.cores - used
    hosts = len(np.unique(host.owners))
    return host.capacity - max(used, hosts * busy.mean(start_ns, end_ns))


def _io(case: Case, start_ns: int, end_ns: int) -> float:
    stalled = pressure(case, "io some") or averaged(rows(case, "cpu", IO_WAIT))
    return 0.0 if stalled is None else stalled.mean(start_ns, end_ns)


def _started_processes(case: Case) -> Marks:
    """Return which phases have a process within them that they, or a part of them, started."""
    tree = case.tree
    found = np.zeros(len(tree), np.bool_)
    started = tree.places_of_kind("process")
    found[tree.parent[started[started > 0]]] = True
    for depth in range(int(tree.depth.max(initial=0)), 0, -1):
        here = np.flatnonzero((tree.depth == depth) & found)
        found[tree.parent[here]] = True
    return found


def _lock_waits(case: Case) -> Whole:
    """Return phases that are waits for a lock, if more than one thread or process has some."""
    tree = case.tree
    names = [at for at, name in enumerate(tree.names) if _NAMED.search(name)]
    marked = np.isin(tree.name, names)
    marked[tree.places_of_kind("lock", "wait")] = True
    places = np.flatnonzero(marked & tree.serial)
    if not len(places):
        return places
    who = np.unique(np.stack([tree.process[places], tree.lane[places]]), axis=1)
    return places if who.shape[1] > 1 else places[:0]


def _waiting(rule: str, case: Case, waits: Whole) -> Suspicion:
    waited_ns = float(case.on_path_ns[waits].sum())
    shares = np.zeros(len(case.tree))
    shares[waits] = 1.0
    label = case.labels.of(int(waits[case.on_path_ns[waits].argmax()]))
    return Suspicion(
        rule=rule,
        title="Waiting for a lock",
        phase=label,
        evidence=(
            (
                f"{len(waits):,} phases such as '{label}' are waits for a lock; {seconds(waited_ns)} of them"
                " are on the"
                f" critical path, {percent(waited_ns / case.makespan_ns)} of the makespan."
            ),
        ),
        advice=(
            f"Hold the lock for less time: do what does not need it before '{label}', take one lock for each"
            " part of"
            " the data instead of one for all, or let each worker write to a place of its own and join the"
            " results at"
            f" the end. {seconds(waited_ns)} is at stake."
        ),
        change=less(shares),
        change_said=f"nobody waiting for the lock: {seconds(waited_ns)} less on the critical path",
        at_least=less(shares, 0.5),
    )


def _serialised(rule: str, sort: Sort, held: list[_Held]) -> Suspicion:
    longest = max(held, key=lambda one: one.fan.span_ns)
    count = longest.fan.slots
    return Suspicion(
        rule=rule,
        title="One at a time: a lock holds the others" if not longest.threads else "One thread at a time",
        phase=sort.label,
        evidence=(
            (
                f"{count:,} '{sort.label}' ran side by side for {seconds(longest.fan.span_ns)}, and together"
                " they used"
                f" {longest.used:.2f} cores."
            ),
            f"{longest.cores - longest.used:.1f} more cores were free, and hardly anything waited for I/O.",
        ),
        advice=_advice(longest),
        change=_change(held, 1.0),
        change_said=f"'{sort.label}' taking {longest.speed:.1f} times less: {count:,} of them at once",
        at_least=_change(held, 0.5),
    )


def _advice(held: _Held) -> str:
    count = held.fan.slots
    if held.threads:
        return (
            f"These are {count:,} threads of one process; if it is Python, the interpreter's lock (GIL) is"
            " likely."
            f" Use {count:,} processes instead (multiprocessing, joblib with loky, ProcessPoolExecutor), or"
            " let NumPy"
            " or compiled code, which release the lock, do the work; else look for a lock around all of the"
            " work."
        )
    return (
        f"These are {count:,} processes, so a lock that they share is likely: of a file, a database (SQLite),"
        " a queue"
        " or a cache. Let each write to a file of its own and join them at the end, or hold the lock for"
        " less time;"
        " 'py-spy dump' on one of them shows where it waits."
    )


def _change(held: list[_Held], part: float) -> Change:
    """Return the change in which a part of the gain comes true."""
    lengths: dict[int, int] = {}
    for one in held:
        took = one.fan.took_ns * (1.0 - part * (1.0 - 1.0 / one.speed))
        lengths.update(zip(one.fan.places.tolist(), np.rint(took).astype(np.int64).tolist(), strict=True))
    return Change(lengths_ns=lengths)
