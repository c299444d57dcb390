"""Training that waits for data.

Looks for loops of steps whose wait for data is 10 % or more of their time. What is replayed is the same loop
with workers that load beside it (``loading``); at best steps wait for nothing, at worst loading takes half as
long again beside the training as alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.launches import moved
from longpole.analyse.loading import Loop, best_workers, waits_with
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.sentences import count_of
from longpole.analyse.tree import Tree
from longpole.units import show_seconds

_LEAST_SHARE = 0.1
_FEWEST_STEPS = 5
_SLOWER = 1.5
_ADVICE = (
    "Load beside the training: DataLoader(num_workers={workers}){instead}. Or make loading cheaper: decode"
    " once and keep the result, fewer transforms, fewer and larger files."
)


@dataclass(frozen=True, slots=True, eq=False)
class WaitingLoop:
    """The steps of one process, and where their waits are."""

    steps: Whole
    waits: Whole
    step_of_wait: Whole
    loop: Loop
    process: int


@dataclass(frozen=True)
class DataLoading:
    """See the head of this file."""

    name: str = "data-loading"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield each process whose steps wait for data."""
        for found in loops_of(case):
            if len(found.steps) >= _FEWEST_STEPS and found.loop.wait_share >= _LEAST_SHARE:
                yield _suspicion(case, found)


RULE = DataLoading()


def loops_of(case: Case) -> Iterator[WaitingLoop]:
    """Yield the loops of steps that wait for data, one for each process."""
    tree = case.tree
    steps, waits = tree.places_of_kind("step"), tree.places_of_kind("data")
    waits = waits[np.isin(tree.parent[waits], steps)]
    for process in np.unique(tree.process[tree.parent[waits]]).tolist():
        here = steps[tree.process[steps] == process]
        here = here[np.argsort(tree.start_ns[here], kind="stable")]
        yield _found(case, process, here, waits[tree.process[tree.parent[waits]] == process])


def _found(case: Case, process: int, steps: Whole, waits: Whole) -> WaitingLoop:
    tree = case.tree
    order = np.argsort(steps)
    step_of_wait = order[np.searchsorted(steps[order], tree.parent[waits])]
    waited = np.zeros(len(steps), np.int64)
    np.add.at(waited, step_of_wait, case.took_ns[waits])
    first = np.concatenate([[True], tree.parent[steps[1:]] != tree.parent[steps[:-1]]])
    workers = _workers(tree, process, steps)
    loop = Loop(waited, case.took_ns[steps] - waited, first, workers, _cpu_share(case))
    return WaitingLoop(steps, waits, step_of_wait, loop, process)


def _workers(tree: Tree, process: int, steps: Whole) -> int:
    """Return how many processes that this one started lived beside most of its steps."""
    started = tree.places_of_kind("process")
    beside = tree.process[np.maximum(tree.parent[started], 0)] == process
    middle = (tree.start_ns[steps] + tree.end_ns[steps]) // 2
    lives = [
        np.mean((middle >= tree.start_ns[one]) & (middle < tree.end_ns[one]))
        for one in started[beside].tolist()
    ]
    return round(float(sum(lives)))


def _cpu_share(case: Case) -> float:
    overview = case.overview
    if overview.cpu_user_s is None or overview.cpu_system_s is None or not overview.makespan_s:
        return 0.0
    return (overview.cpu_user_s + overview.cpu_system_s) / overview.makespan_s


def _suspicion(case: Case, found: WaitingLoop) -> Suspicion:
    loop = found.loop
    workers = max(best_workers(loop, case.cores), loop.workers + 1)
    steps_ns = _steps_with(case, found, waits_with(loop, workers, case.cores))
    slower_ns = _steps_with(case, found, waits_with(loop, workers, case.cores, slower=_SLOWER))
    step_s = float(np.median(steps_ns)) / 1e9
    return Suspicion(
        rule=RULE.name,
        title="Training waits for its data",
        phase=f"{case.labels.of(int(found.steps[0]))}: data",
        evidence=_evidence(found, workers, step_s),
        advice=_ADVICE.format(workers=workers, instead=f" instead of {loop.workers}" if loop.workers else ""),
        change=_change(found, steps_ns),
        change_said=f"batches loaded by {count_of(workers, 'worker')}",
        at_least=_change(found, slower_ns),
        at_most=_change(found, _steps_with(case, found, np.zeros(len(found.steps), np.int64))),
        step_s=step_s,
    )


def _evidence(found: WaitingLoop, workers: int, step_s: float) -> tuple[str, ...]:
    loop = found.loop
    waited = show_seconds(float(loop.waits_ns.sum()) / 1e9)
    loading, computing = show_seconds(loop.loading_ns / 1e9), show_seconds(loop.step_ns / 1e9)
    was = show_seconds(float(np.median(loop.waits_ns + loop.computing_ns)) / 1e9)
    share = f"{100 * loop.wait_share:.0f} % of their time"
    beside = f"{count_of(loop.workers, 'worker process')} beside the training."
    return (
        f"{len(found.steps):,} steps waited {waited} for data in all: {share}.",
        f"A batch takes {loading} to load, the rest of a step {computing}.",
        f"Batches are loaded by {beside}"
        if loop.workers
        else "The training process loads its data itself: num_workers=0.",
        f"With {count_of(workers, 'worker')} a step would take {show_seconds(step_s)} instead of {was}.",
    )


def _steps_with(case: Case, found: WaitingLoop, waits_ns: Whole) -> Whole:
    """Return how long steps take if they wait so long: by launches, where these are known."""
    launches = case.launches.get(found.process)
    if launches is None:
        return found.loop.computing_ns + waits_ns
    tree = case.tree
    ends = np.zeros(len(found.steps), np.int64)
    np.maximum.at(ends, found.step_of_wait, tree.end_ns[found.waits])
    cut = found.loop.waits_ns - waits_ns
    waited = np.flatnonzero(ends)
    marks = np.concatenate([tree.start_ns[found.steps], tree.end_ns[found.steps[-1:]]])
    return np.diff(moved(launches, ends[waited], cut[waited], marks))


def with_waits(case: Case, found: WaitingLoop, waits_ns: Whole) -> Change:
    """Return the change after which each step waits so long."""
    return _change(found, _steps_with(case, found, waits_ns))


def _change(found: WaitingLoop, steps_ns: Whole) -> Change:
    lengths = np.maximum(steps_ns, 0).tolist()
    return Change(lengths_ns=dict(zip(found.steps.tolist(), lengths, strict=True)))
