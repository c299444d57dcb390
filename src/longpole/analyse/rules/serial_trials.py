"""Trials of a search that run one at a time, with room for more.

Looks for searches of two trials or more that never overlapped, while the run used at most half of the cores,
and, where a GPU worked for the trials, less than half of its time and at most half of its memory. What is
replayed is the search with as many trials at once as fit by all three; at the least two. It assumes that
trials do not wait for each other's results: a search that learns from earlier trials learns a little less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.profile import profile
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.gauge import Gauge, gauges, gpus_busy
from longpole.analyse.rules.inside import LEAST_SHARE, Inside, inside, percent
from longpole.units import show_seconds

_MOST_SEARCHES = 2
# So much of a trial more than there are cores for does no harm.
_SPARE = 0.1
# A GPU that is busier than this was used.
_LEAST_USED = 0.02
_ADVICE = (
    "Run {trials} trials at once: study.optimize(..., n_jobs={trials}), or better, as threads share one "
    "interpreter, {trials} processes that share one study: optuna.create_study(study_name=..., storage=..., "
    "load_if_exists=True) in each. Let each use {threads} of the {cores} cores (OMP_NUM_THREADS={threads})."
)


@dataclass(frozen=True, slots=True)
class _Room:
    """How many trials fit at once, and a sentence for each reason."""

    trials: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class SerialTrials:
    """See the head of this file."""

    name: str = "serial-trials"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield the searches whose trials take longest."""
        found = inside(case, case.tree.places_of_kind("trial"))
        starts, ends = (times[found.outermost] for times in (case.tree.start_ns, case.tree.end_ns))
        if len(starts) < 2 or found.share < LEAST_SHARE or profile(starts, ends).peak > 1:
            return
        room = _room(case, starts, ends)
        if room is not None and room.trials > 1:
            for search in _searches(case, found):
                yield _suspicion(case, found, search, room)


RULE = SerialTrials()


def _room(case: Case, starts_ns: Whole, ends_ns: Whole) -> _Room | None:
    """Return how many trials would have fit; None where that is not known."""
    on_cores = _on_cores(case)
    if on_cores is None:
        return None
    rooms = [on_cores]
    memory = {gauge.name: gauge for gauge in _memory(case)}
    for gauge in gpus_busy(case.samples):
        busy = gauge.mean(starts_ns, ends_ns)
        if busy is not None and busy >= _LEAST_USED:
            rooms.append(_on_gpu(gauge.name, busy, memory.get(gauge.name)))
    return _Room(min(room.trials for room in rooms), tuple(text for room in rooms for text in room.reasons))


def _on_cores(case: Case) -> _Room | None:
    overview = case.overview
    if overview.cpu_user_s is None or overview.cpu_system_s is None or not case.cores or not case.makespan_ns:
        return None
    used = (overview.cpu_user_s + overview.cpu_system_s) * 1e9 / case.makespan_ns
    fits = int(case.cores / max(used, 1.0) + _SPARE) if 2 * used <= case.cores else 1
    return _Room(fits, (f"The run used {used:.1f} of {case.cores} cores on average.",))


def _memory(case: Case) -> tuple[Gauge, ...]:
    return gauges(case.samples, "gpu", "memory used", "tree") or gauges(
        case.samples, "gpu", "memory used", "device"
    )


def _on_gpu(name: str, busy: float, memory: Gauge | None) -> _Room:
    """Return how many trials fit on a GPU; one if its memory is not known."""
    if memory is None or not memory.capacity:
        return _Room(1, ())
    taken = max(float(memory.values.max()) / memory.capacity, 0.01)
    fits = min(int(1 / taken), int(1 / busy)) if busy < 0.5 else 1
    return _Room(
        fits, (f"{name} was busy {percent(busy)} of their time, {percent(taken)} of its memory used.",)
    )


def _searches(case: Case, found: Inside) -> list[int]:
    """Return the phases that trials are part of, those first whose trials take longest on the path."""
    parents = np.maximum(case.tree.parent[found.outermost], 0)
    sums = np.bincount(parents, found.path_ns)
    counts = np.bincount(parents)
    longest = np.argsort(-sums, kind="stable")[:_MOST_SEARCHES].tolist()
    return [one for one in longest if counts[one] > 1 and sums[one] >= LEAST_SHARE * case.makespan_ns]


def _suspicion(case: Case, found: Inside, search: int, room: _Room) -> Suspicion:
    trials = found.outermost[case.tree.parent[found.outermost] == search]
    at_once = min(room.trials, len(trials))
    took_s = float(case.took_ns[trials].sum()) / 1e9
    each = f"{len(trials):,} trials ran one at a time for {show_seconds(took_s)} in all"
    threads = max(1, case.cores // at_once)
    return Suspicion(
        rule=RULE.name,
        title="Trials run one at a time, with room for more",
        phase=case.labels.of(search),
        evidence=(f"{each}, {show_seconds(took_s / len(trials))} each.", *room.reasons),
        advice=_ADVICE.format(trials=at_once, threads=threads, cores=case.cores),
        change=_change(case, trials, search, at_once),
        change_said=f"{at_once} trials at once",
        at_least=_change(case, trials, search, 2),
    )


def _change(case: Case, trials: Whole, search: int, at_once: int) -> Change:
    return Change(slots={search: at_once}, cores=float(case.cores), abreast=trials)
