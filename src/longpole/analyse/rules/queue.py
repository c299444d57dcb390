"""Jobs that wait in a queue.

Looks for 5 % or more of the makespan that the critical path waits in a queue. Of that, the time in which as
many jobs ran as ever did at once is blamed on how many may run at once: what is replayed is twice as many
(at the least one more; at the most no bound), unless the run already keeps most of its cores busy. The rest
is blamed on the queue itself: what is replayed is the run without these waits. As the replay knows gaps
before jobs but not what they are, all gaps shrink by the queue's share of the path's waits. The advice for
the first is in the user's hands; the second is mostly in those of the batch system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.profile import Profile, profile
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.gauge import Gauge
from longpole.analyse.rules.inside import LEAST_SHARE, inside, percent
from longpole.units import show_seconds

# So many of the most that ever ran at once count as all.
_CROWDED = 0.9
# Above this share of the cores in use there is no room for more jobs.
_MOST_CORES = 0.67
_NOBODY = ("run", "workflow")
_OTHER_WAITS = ("dependency", "dispatch", "idle")
_BATCH_QUEUE = "Jobs wait in the queue of the batch system"
_MORE_SLOTS = (
    "Let more jobs run at once, {slots} instead of {most}: snakemake --jobs {slots} (or --cores, on one "
    "machine), executor.queueSize in Nextflow, a higher limit after the % of sbatch --array, or a larger "
    "machine."
)
_MORE_SLOTS_OF_OURS = (
    "Let more jobs run at once, {slots} instead of {most}: let tasks ask for no more cores and memory than "
    "they use (resources: in the workflow), or take a larger machine."
)
_LESS_QUEUE_OF_OURS = (
    "Let jobs fit into what is free: let tasks ask for no more cores and memory than they use (resources: in "
    "the workflow), and put several of the {jobs:,} jobs, of {each} on average, into one (--placement "
    "clustering)."
)
_LESS_QUEUE = (
    "Make jobs easier to place, or need fewer of them: ask for less time, memory and cores (sbatch --time, "
    "--mem, --cpus-per-task) so that they fit into gaps, take a partition that has free nodes (sinfo), and "
    "put several of the {jobs:,} jobs, of {each} on average, into one (snakemake groups with "
    "--group-components, or one allocation that runs them with srun)."
)


@dataclass(frozen=True, slots=True, eq=False)
class _Queue:
    """Jobs of one phase, and the queue before them.

    Attributes:
        parent: Place of the phase that they are part of.
        jobs: Places of all of them.
        waited: Places of those on the critical path that waited.
        running: How many ran at once.
        path_s: How long the critical path waits in the queue.
        full_share: Share of that in which as many jobs ran as ever did.
    """

    parent: int
    jobs: Whole
    waited: Whole
    running: Profile
    path_s: float
    full_share: float


@dataclass(frozen=True)
class Queue:
    """See the head of this file."""

    name: str = "queue"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield what jobs wait for: others of the run, or the queue itself."""
        found = _queue(case)
        least_s = LEAST_SHARE * case.makespan_ns / 1e9
        if found is None or found.path_s < least_s:
            return
        full_s = found.path_s * found.full_share
        if full_s >= least_s and len(found.jobs) > found.running.peak and _has_room(case):
            yield _too_few_slots(case, found, full_s)
        if found.path_s - full_s >= least_s:
            yield _long_queue(case, found, found.path_s - full_s)


RULE = Queue()


def _queue(case: Case) -> _Queue | None:
    """Return the phase with the jobs that waited longest; None where no job on the path did."""
    tree, queued = case.tree, case.tree.queued_ns
    if queued is None or not case.makespan_ns:
        return None
    waited = inside(case, np.flatnonzero(queued > 0)).on_path
    if not len(waited):
        return None
    parent = int(np.argmax(np.bincount(tree.parent[waited], queued[waited])))
    waited = waited[tree.parent[waited] == parent]
    jobs = np.flatnonzero((tree.parent == parent) & np.isin(tree.kind, np.unique(tree.kind[waited])))
    running = profile(tree.start_ns[jobs], tree.end_ns[jobs])
    share = _full_share(running, tree.start_ns[waited] - queued[waited], tree.start_ns[waited])
    return _Queue(parent, jobs, waited, running, case.waits_s.get("queue", 0.0), share)


def _full_share(running: Profile, starts_ns: Whole, ends_ns: Whole) -> float:
    """Return for which share of some intervals about as many jobs ran as ever did."""
    full = running.running[:-1] >= _CROWDED * running.peak
    gauge = Gauge("full", running.at_ns[:-1], running.at_ns[1:], full.astype(np.float64))
    return gauge.area(starts_ns, ends_ns) / max(1.0, float((ends_ns - starts_ns).sum()))


def _has_room(case: Case) -> bool:
    """Return whether more jobs could run as far as cores are concerned: they may be those of other hosts."""
    overview = case.overview
    if overview.cpu_user_s is None or overview.cpu_system_s is None or not case.cores:
        return True
    used = (overview.cpu_user_s + overview.cpu_system_s) * 1e9 / case.makespan_ns
    return used <= _MOST_CORES * case.cores


def _too_few_slots(case: Case, found: _Queue, full_s: float) -> Suspicion:
    most = found.running.peak
    slots = min(2 * most, len(found.jobs))
    changes = [_slots(case, found, many) for many in (slots, min(most + 1, slots), len(found.jobs))]
    return Suspicion(
        rule=RULE.name,
        title="Jobs wait for each other, as few may run at once",
        phase=_waited_most(case, found),
        evidence=(
            _waited(case, found),
            f"For {show_seconds(full_s)} of that {most} of {len(found.jobs):,} jobs ran, the most at once.",
        ),
        advice=(_MORE_SLOTS_OF_OURS if _is_ours(case) else _MORE_SLOTS).format(slots=slots, most=most),
        change=changes[0],
        change_said=f"{slots} jobs at once instead of {most}",
        at_least=changes[1],
        at_most=changes[2],
    )


def _long_queue(case: Case, found: _Queue, queue_s: float) -> Suspicion:
    others_s = sum(case.waits_s.get(wait, 0.0) for wait in _OTHER_WAITS)
    share = queue_s / (queue_s + others_s)
    each_s = float(case.took_ns[found.jobs].mean()) / 1e9
    free = (
        f"For {show_seconds(queue_s)} of that fewer than {found.running.peak} of them ran, the most at once."
    )
    alone = f"For {show_seconds(queue_s)} of that none of them ran."
    return Suspicion(
        rule=RULE.name,
        title="Jobs wait though fewer run than could" if _is_ours(case) else _BATCH_QUEUE,
        phase=_waited_most(case, found),
        evidence=(_waited(case, found), alone if found.running.peak == 1 else free),
        advice=(_LESS_QUEUE_OF_OURS if _is_ours(case) else _LESS_QUEUE).format(
            jobs=len(found.jobs), each=show_seconds(each_s)
        ),
        change=_gaps(case, found, 1 - share),
        change_said="jobs that begin as soon as they could",
        at_least=_gaps(case, found, 1 - share / 2),
    )


def _is_ours(case: Case) -> bool:
    """Return whether Longpole itself ran the jobs: there is no batch system then."""
    return bool(case.overview.workflow)


def _waited_most(case: Case, found: _Queue) -> str:
    """Return what jobs on the path are called that waited longest in the queue."""
    queued_ns = case.tree.queued_ns
    assert queued_ns is not None
    waited: Counter[str] = Counter()
    for place in found.waited.tolist():
        waited[case.labels.of(place)] += int(queued_ns[place])
    return waited.most_common(1)[0][0]


def _waited(case: Case, found: _Queue) -> str:
    share = percent(found.path_s * 1e9 / case.makespan_ns)
    return f"Jobs on the critical path waited {show_seconds(found.path_s)} in the queue, {share} of the run."


def _slots(case: Case, found: _Queue, slots: int) -> Change:
    return Change(slots={found.parent: slots}, cores=float(case.cores), abreast=found.jobs)


def _gaps(case: Case, found: _Queue, factor: float) -> Change:
    """Return shorter gaps before jobs, and where it is nobody's, shorter time of the phase around them."""
    nobody = case.tree.kinds[int(case.tree.kind[found.parent])] in _NOBODY
    places = np.array([found.parent] if nobody else [], np.int64)
    return Change(factors=case.factors(places, factor), gaps={found.parent: factor})
