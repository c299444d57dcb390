"""Interference: others used the cores while the run wanted them.

Method: others are what the host's cores did less what the processes of the run did. Where both together use
95 % of the cores, and others at least 5 %, a process of ours wants what it used while cores were free, or one
core if it was never seen so; what it got less is lost, and so is its time. If the kernel's account of waiting
for cores is known (pressure, ``cpu some``), no more than that. The recorder counts as others; it uses little.
Threads of a process that was never seen with free cores count as one. At least half of the loss is sure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds
from longpole.analyse.rules.lost import less, lost_shares, on_path_ns, worst_phase
from longpole.analyse.rules.measured import (
    BUSY,
    Curve,
    Numbers,
    Rows,
    cpu_ns,
    edges_of,
    pressure,
    rows,
    summed,
)
from longpole.analyse.tree import Marks

SATURATED = 0.95
LEAST_OTHERS = 0.05
LEAST_TIME = 0.1
LEAST_SHARE = 0.02
# A process that uses less of a core than this does not want one; with fewer readings its wish is not known.
_IDLE_CORES = 0.05
_LEAST_READINGS = 3
# A phase whose process uses less of a core than this does not wait for cores.
_LEAST_CPU = 0.1


@dataclass(frozen=True, slots=True)
class Interference:
    """The rule."""

    name: str = "interference"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield one suspicion if cores were full with others' work for a tenth of the makespan."""
        cores = _cores(case)
        if cores is None or not case.makespan_ns:
            return
        if cores.crowded_ns < LEAST_TIME * case.makespan_ns:
            return
        shares = lost_shares(case, _lost(case, cores)) * _wants_cores(case)
        if on_path_ns(case, shares) >= LEAST_SHARE * case.makespan_ns:
            yield _suspicion(self.name, case, cores, shares)


RULE = Interference()


@dataclass(frozen=True, slots=True, eq=False)
class _Cores:
    """What the cores did: ours, others, when both together were all, and how many there are."""

    ours: Curve
    others: Numbers
    crowded: Marks
    capacity: float

    @property
    def crowded_ns(self) -> int:
        """For how long cores were full with others' work among ours."""
        return int(np.diff(self.ours.edges)[self.crowded].sum())

    def mean(self, values: Numbers) -> float:
        """Return the mean over the crowded time."""
        return float(np.average(values[self.crowded], weights=np.diff(self.ours.edges)[self.crowded]))


def _cores(case: Case) -> _Cores | None:
    host, own = rows(case, "cpu", *BUSY), rows(case, "cpu", "used", scope="process")
    if not len(host) or not len(own) or not host.capacity:
        return None
    edges = edges_of(host)
    busy, ours = summed(host, edges), summed(own, edges)
    others = np.maximum(busy.values - ours.values, 0.0)
    full = np.maximum(busy.values, ours.values) >= SATURATED * host.capacity
    crowded = full & (others >= LEAST_OTHERS * host.capacity)
    return _Cores(ours, others, crowded, host.capacity)


def _lost(case: Case, cores: _Cores) -> Curve:
    """Return the share of time that our processes lost to others."""
    own = rows(case, "cpu", "used", scope="process")
    wanted = np.minimum(summed(_wished(own, cores), cores.ours.edges).values, cores.capacity)
    lost = 1.0 - cores.ours.values / np.maximum(np.maximum(wanted, cores.ours.values), 1e-9)
    waited = pressure(case, "cpu some")
    if waited is not None:
        edges = cores.ours.edges
        lost = np.minimum(lost, waited.integral(edges[:-1], edges[1:]) / np.diff(edges))
    return replace(cores.ours, values=np.where(cores.crowded, lost, 0.0))


def _wants_cores(case: Case) -> Marks:
    """Return which phases are of a process that computes, or of one that is not known."""
    wants: Marks = ~(cpu_ns(case) < _LEAST_CPU * case.took_ns)
    return wants


def _wished(own: Rows, cores: _Cores) -> Rows:
    """Return the readings of processes with what each wanted in place of what it got."""
    middle = (own.starts_ns + own.ends_ns) // 2
    piece = np.clip(np.searchsorted(cores.ours.edges, middle, side="right") - 1, 0, len(cores.crowded) - 1)
    free = ~cores.crowded[piece] & (own.values >= _IDLE_CORES)
    owners, at = np.unique(own.owners, return_inverse=True)
    seen = np.bincount(at, free, len(owners))
    used = np.bincount(at, own.values * free, len(owners)) / np.maximum(seen, 1)
    wish = np.where(seen >= _LEAST_READINGS, used, 1.0)[at]
    active = own.values >= _IDLE_CORES
    return replace(own, values=np.where(active, np.maximum(wish, own.values), own.values))


def _suspicion(rule: str, case: Case, cores: _Cores, shares: Numbers) -> Suspicion:
    lost_ns = on_path_ns(case, shares)
    ours, others = cores.mean(cores.ours.values), cores.mean(cores.others)
    return Suspicion(
        rule=rule,
        title="Others use the same cores",
        phase=worst_phase(case, shares),
        evidence=(
            (
                f"For {percent(cores.crowded_ns / case.makespan_ns)} of the makespan all {cores.capacity:g}"
                " cores were"
                f" busy, {others:.1f} of them with work that is not of this run."
            ),
            (
                f"The run got {ours:.1f} cores then and wanted more: its phases on the critical path lost"
                f" {seconds(lost_ns)}."
            ),
        ),
        advice=(
            f"Run when the host is free, or keep others off: ask for {cores.capacity:g} cores of your own (an"
            " exclusive node, cpusets, a CPU limit for the other programs), see with 'top' whose they are,"
            " or give"
            " the others a lower priority with 'nice'."
        ),
        change=less(shares),
        change_said=f"nobody else on the cores: {seconds(lost_ns)} less on the critical path",
        at_least=less(shares, 0.5),
    )
