"""What bounded the phases that matter: what they used, what held them and for how long, and what to gain.

Method: ``host_bounds`` for each host, added up by group. Where two resources held a phase at once, each has
its part of that time, so that shares add up to one. Gains are of the phases by themselves and never of the
run, which may wait on another branch.

Limits: phases that stand for many, and those without a process, are not seen. Of very many phases the longest
count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, known, over, sums, whole
from longpole.analyse.host_bounds import CHILDREN, Site, Sums, host_sums
from longpole.analyse.lives import lives_of
from longpole.analyse.phase_groups import Groups, grouped
from longpole.analyse.process_samples import ProcessSamples
from longpole.analyse.rules.case import Case
from longpole.analyse.sentences import count_of
from longpole.analyse.utilisation import utilisation
from longpole.model.bounds import Bound, Bounded, Gain, Held, How, Use
from longpole.model.columns import Columns

MOST_ROWS = 200_000
# What takes less of a group's time, or of the makespan, is left out.
_LEAST_SHARE = 0.005
_LEAST_OF_RUN = 0.005
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Usage:
    """What was measured of processes, and which there were.

    Attributes:
        processes: Columns ``id``, ``host``, ``start_ns``, ``end_ns``.
        hosts: Columns ``id`` and ``cores``.
        use: What they used.
    """

    processes: Columns
    hosts: Columns
    use: ProcessSamples


def bounds(case: Case, usage: Usage, most_rows: int = MOST_ROWS) -> Bounded:
    """Return what bounded the phases of a run; nothing where no process of it was sampled."""
    if not usage.use.samples.rows:
        return Bounded()
    groups = grouped(case.tree, case.labels, case.on_path_ns)
    sites = _sites(case, usage)
    found = [host_sums(case.tree, groups, site, most_rows) for site in sites]
    together = _together(found, groups)
    used = tuple(
        one for site, part in zip(sites, found, strict=True) for one in utilisation(case.tree, site, part.gpu)
    )
    listed = _listed(case, groups, together)
    return Bounded(listed, used, tuple(_limits(groups, together, listed, most_rows)) if listed else ())


def _sites(case: Case, usage: Usage) -> list[Site]:
    """Return the hosts on which processes of the run were sampled."""
    columns = usage.processes
    process, host = whole(columns["id"]), np.where(known(columns["host"]), whole(columns["host"]), 0)
    last = int(case.tree.end_ns[0])
    start = whole(columns["start_ns"])
    end = np.where(known(columns["end_ns"]), whole(columns["end_ns"]), last)
    cores = {int(row["id"] or 0): float(row["cores"] or case.cores or 1) for row in usage.hosts.records()}
    sampled = np.unique(host[np.isin(process, whole(usage.use.samples["owner"]))])
    sites = []
    for one in sampled.tolist():
        here = (host == one) & known(columns["start_ns"])
        lives = lives_of(process[here], start[here], end[here])
        sites.append(Site(one, lives, usage.use, case.samples, cores.get(one, float(case.cores or 1))))
    return sites


def _together(found: list[Sums], groups: Groups) -> Sums:
    """Return the sums of all hosts as one."""
    none = np.zeros(len(groups.words))
    names = {name for one in found for name in one.held}
    gains = {name for one in found for name in one.gains}
    uses = {name for one in found for name in one.uses}
    return Sums(
        seconds=sum((one.seconds for one in found), none),
        waiting=sum((one.waiting for one in found), none),
        unseen=sum((one.unseen for one in found), none),
        own_cores=np.max([none, *(one.own_cores for one in found)], axis=0),
        held={name: sum((one.held.get(name, none) for one in found), none) for name in names},
        gains={name: sum((one.gains.get(name, none) for one in found), none) for name in gains},
        uses={name: _added([one.uses[name] for one in found if name in one.uses], none) for name in uses},
        alike=tuple(dict.fromkeys(alike for one in found for alike in one.alike)),
    )


def _added(parts: list[tuple[Numbers, Numbers]], none: Numbers) -> tuple[Numbers, Numbers]:
    return sum((part[0] for part in parts), none), sum((part[1] for part in parts), none)


def _listed(case: Case, groups: Groups, found: Sums) -> tuple[Bound, ...]:
    on_path = sums(groups.of_place, case.on_path_ns / 1e9, len(groups.words))
    count = np.bincount(groups.of_place[groups.places], minlength=len(groups.words))
    least_s = _LEAST_OF_RUN * case.makespan_ns / 1e9
    held_s = _held_shares(found)
    listed = []
    for at, (what, kind) in enumerate(groups.names):
        length = float(found.seconds[at])
        if length < least_s or found.unseen[at] >= (1 - _LEAST_SHARE) * length:
            continue
        bound = Bound(
            what=what,
            kind=kind,
            count=int(count[at]),
            seconds=length,
            on_path_s=float(on_path[at]),
            uses=_uses(found, at),
            held=_held(found, held_s, at),
            gains=_gains(found, at),
            waiting_share=float(found.waiting[at]) / length,
            unseen_share=float(found.unseen[at]) / length,
        )
        listed.append(bound)
    return tuple(sorted(listed, key=_only_waits))


def _only_waits(one: Bound) -> bool:
    """Return whether phases, as those of a shell, do little but wait for others, which tell what they do."""
    return bool(one.held) and one.held[0].resource == CHILDREN and one.held[0].share >= _MOSTLY


def _held_shares(found: Sums) -> dict[tuple[str, How], Numbers]:
    """Return shares of each group's time in which something held it, which add up to what is not waiting."""
    every = sum(found.held.values(), np.zeros(len(found.seconds)))
    rest = np.maximum(found.seconds - found.waiting - found.unseen, 0.0)
    scale = np.where(every > rest, over(rest, every), 1.0)
    return {name: over(part * scale, found.seconds) for name, part in found.held.items()}


def _held(found: Sums, shares: dict[tuple[str, How], Numbers], at: int) -> tuple[Held, ...]:
    held = [
        Held(resource, how, float(share[at]), float(found.own_cores[at]) if how is How.OWN else 1.0)
        for (resource, how), share in shares.items()
        if share[at] >= _LEAST_SHARE
    ]
    return tuple(sorted(held, key=lambda one: (-one.share, one.resource)))


def _gains(found: Sums, at: int) -> tuple[Gain, ...]:
    gains = [Gain(name, float(part[at])) for name, part in found.gains.items()]
    kept = [one for one in gains if one.seconds >= _LEAST_SHARE * found.seconds[at]]
    return tuple(sorted(kept, key=lambda one: (-one.seconds, one.resource)))


def _uses(found: Sums, at: int) -> tuple[Use, ...]:
    means = [(*name, float(over(mass, length)[at])) for name, (mass, length) in found.uses.items()]
    return tuple(Use(*one) for one in sorted(means) if one[2] > 0)


def _limits(groups: Groups, found: Sums, listed: tuple[Bound, ...], most_rows: int) -> Iterator[str]:
    shown = {(one.what, one.kind) for one in listed}
    for alike in found.alike:
        numbers = [int(one) for one in alike if int(one) < len(groups.names)]
        names = [groups.names[at][0] for at in numbers if groups.names[at] in shown]
        if len(names) > 1:
            both = f"{', '.join(names[:-1])} and {names[-1]}"
            yield f"Samples cannot tell the CPU use of {both} apart: they are given the same."
    if len(groups.places) > most_rows:
        left = count_of(len(groups.places) - most_rows, "shorter phase")
        yield f"What bounds phases is told from the longest {most_rows:,}; {left} left out of it."
