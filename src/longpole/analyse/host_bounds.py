"""What held the phases of one host, and what they used, added up by group.

Method: cores and storage are given to phases from samples of their process. What is measured of the host or
of a device is looked up at the real time of each piece. Disks and GPUs count for groups that use them: that
move bytes to or from storage, or during which a GPU is busy. A thread runs or does not: where nothing holds a
phase and it uses a part of the cores that it can use, these held it for that part of the time.

Source: sections 2 and 3 of the execution model. Limits: a disk counts as saturated while it is never idle,
though many disks could do more then. Who used a network is not known, nor what it could carry.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, column, numbers, over, sums, whole
from longpole.analyse.attribution import attribute
from longpole.analyse.bottlenecks import bottlenecks
from longpole.analyse.gpu_phases import GPU, LEAST_BUSY, gpu_by_phases, gpus_of
from longpole.analyse.host_means import Measured, mean_of, measured
from longpole.analyse.lives import Lives
from longpole.analyse.phase_groups import Groups
from longpole.analyse.phase_rows import PhaseRows, phase_rows
from longpole.analyse.process_samples import CORES, READ, WRITTEN, ProcessSamples
from longpole.analyse.rates import Given, give, per_group
from longpole.analyse.tree import Tree
from longpole.analyse.wanted_cores import hold_by_cores, own_cores
from longpole.model.attribution import Attribution, Bottlenecks, Demand, Resource, Workload
from longpole.model.bounds import How
from longpole.model.columns import Columns

CHILDREN = "processes that it started"
# Time that other guests of the machine took is time in which a core was wanted.
_BUSY = ("user", "system", "stolen")
_STORAGE = {"storage read": READ, "storage written": WRITTEN}
# Groups that move less than this, in bytes a second, do not count as users of a disk.
_LEAST_BYTES = 1e6

# Masses by resource and unit, with the seconds that they were seen in; both by group.
_Uses = dict[tuple[str, str], tuple[Numbers, Numbers]]


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One host: its processes, what they and it were measured to use, and how many cores it has."""

    host: int
    lives: Lives
    use: ProcessSamples
    samples: Columns
    cores: float


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Seconds by group.

    Attributes:
        seconds: Their time.
        waiting: Of that, waiting on nothing we see.
        unseen: Of that, not sampled.
        own_cores: How many cores a phase of the group can use.
        held: Of that, held by a resource; two may hold a phase at once.
        gains: What phases could gain by themselves.
        uses: What they used: masses, and the seconds that these were seen in.
        alike: Groups, by number, whose use of cores cannot be told apart.
        gpu: How busy GPUs were, told apart by phases.
    """

    seconds: Numbers
    waiting: Numbers
    unseen: Numbers
    own_cores: Numbers
    held: dict[tuple[str, How], Numbers]
    gains: dict[str, Numbers]
    uses: _Uses
    alike: tuple[tuple[str, ...], ...] = ()
    gpu: Measured | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """Phases, the cores that were given to them, and the real time of each piece of that."""

    rows: PhaseRows
    cores: Given
    pieces: tuple[Whole, Whole]

    def mean(self, found: Measured | None) -> Numbers:
        """Return the mean of what was measured in each piece."""
        return np.zeros(len(self.pieces[0])) if found is None else found.mean(*self.pieces)

    def shared(self, found: Measured, name: str, users: Marks) -> Attribution:
        """Return the use of something that a host has one of, as phases of its users met it."""
        pieces = self.cores.attribution.pieces
        times = {which: pieces[which] for which in ("start_ns", "end_ns")}
        value = column(np.minimum(self.mean(found), 1.0))
        groups = self.rows.work.phases["kind"].words or ()
        demands = {group: Demand.variable() for group, uses in zip(groups, users, strict=True) if uses}
        resource = Resource(name, "fraction", 1.0)
        return attribute(self.rows.work, Columns({**times, "value": value}), resource, demands)


def host_sums(tree: Tree, groups: Groups, site: Site, most_rows: int) -> Sums:
    """Return what held the phases of one host; of more intervals than ``most_rows`` the longest count."""
    cpu = site.use.of(CORES, site.lives)
    rows = phase_rows(tree, groups, site.lives, cpu, most_rows)
    cores = give(rows.work, cpu, Resource("cores", "cores", site.cores))
    pieces = cores.attribution.pieces
    real = site.lives.clock(whole(pieces["start_ns"])), site.lives.clock(whole(pieces["end_ns"]))
    scene = _Scene(rows, cores, real)
    host = scene.mean(mean_of(measured(site.samples, site.host, "cpu", "host", *_BUSY), "cores"))
    own = own_cores(rows.work, cores.attribution, host)
    gpu = gpu_by_phases(rows, gpus_of(site.samples, site.host))
    uses = {("cores", "cores"): _used(rows.work, cores.attribution)} | _storage(rows, site)
    held_by = [hold_by_cores(rows.work, cores.attribution, own, host), *_shared(scene, site, uses, gpu)]
    return _summed(scene, held_by, own, uses | _met(rows, site, gpu), gpu)


def _used(work: Workload, given: Attribution) -> tuple[Numbers, Numbers]:
    used, seen = (per_group(work, numbers(given.phases[name])) for name in ("used", "observed_s"))
    return used, seen


def _storage(rows: PhaseRows, site: Site) -> _Uses:
    """Return the bytes that groups moved to and from storage; nothing where it is too little to matter."""
    uses = {}
    for resource, counter in _STORAGE.items():
        moved = site.use.of(counter, site.lives)
        if moved.rows and numbers(moved["value"]).max() >= _LEAST_BYTES:
            given = give(rows.work, moved, Resource(resource, "bytes/s"))
            uses[resource, "bytes/s"] = _used(rows.work, given.attribution)
    return uses


def _met(rows: PhaseRows, site: Site, gpu: Measured | None) -> _Uses:
    """Return what disks, GPUs and networks did while phases of each group ran, for whom ever."""
    found = {("disk " + one.name, "fraction"): one for one in _disks(site)}
    found |= {(GPU, "fraction"): gpu} if gpu is not None else {}
    for metric in ("received", "sent"):
        networks = measured(site.samples, site.host, "network", "host", metric)
        found |= {(f"network {one.name} {metric}", "bytes/s"): one for one in networks}
    return {name: (rows.mean_while(one) * rows.length_s, rows.length_s) for name, one in found.items()}


def _disks(site: Site) -> tuple[Measured, ...]:
    return measured(site.samples, site.host, "disk", "host", "busy")


def _shared(scene: _Scene, site: Site, uses: _Uses, gpu: Measured | None) -> list[Attribution]:
    """Return the use of disks and GPUs, as it bounds those that use them."""
    moved = [over(*uses[resource, "bytes/s"]) for resource in _STORAGE if (resource, "bytes/s") in uses]
    users = np.sum([np.zeros(len(scene.rows.blocked_s)), *moved], axis=0) >= _LEAST_BYTES
    found = [scene.shared(disk, "disk " + disk.name, users) for disk in _disks(site)] if users.any() else []
    if gpu is not None:
        found.append(scene.shared(gpu, GPU, scene.rows.mean_while(gpu) >= LEAST_BUSY))
    return found


def _summed(
    scene: _Scene, held_by: list[Attribution], own: Numbers, uses: _Uses, gpu: Measured | None
) -> Sums:
    rows = scene.rows
    found = bottlenecks(rows.work, held_by)
    active, waiting, unseen = (
        per_group(rows.work, numbers(found.phases[name]))
        for name in ("active_s", "overhead_s", "unsampled_s")
    )
    computing = per_group(rows.work, _computing(found, held_by[0], own[whole(rows.work.phases["kind"])]))
    held: dict[tuple[str, How], Numbers] = {(CHILDREN, How.BLOCKED): rows.blocked_s}
    gains: dict[str, Numbers] = {CHILDREN: rows.blocked_s}
    group = whole(rows.work.phases["kind"])[whole(found.resources["phase"])]
    for at, one in enumerate(held_by):
        mine = whole(found.resources["resource"]) == at
        saturated, local, gain = (
            sums(group[mine], numbers(found.resources[name])[mine], len(own))
            for name in ("saturated_s", "locally_saturated_s", "gain_s")
        )
        name = one.resource.name
        held |= {(name, How.SATURATED): saturated, (name, How.OWN): local}
        gains[name] = gain
    held["cores", How.OWN] = held["cores", How.OWN] + computing
    return Sums(
        seconds=active + rows.blocked_s + rows.left_out_s,
        waiting=waiting - computing,
        unseen=unseen + rows.left_out_s,
        own_cores=own,
        held=held,
        gains=gains,
        uses=uses,
        alike=scene.cores.alike,
        gpu=gpu,
    )


def _computing(found: Bottlenecks, cores: Attribution, own: Numbers) -> Numbers:
    """Return how long each phase computed in time that nothing held it, by the cores that it can use.

    Args:
        found: What held phases; cores are the first of the resources.
        cores: The cores that they used, all where the host's held them.
        own: How many each can use.
    """
    mine = whole(found.resources["resource"]) == 0
    held = (
        numbers(found.resources["saturated_s"])[mine] + numbers(found.resources["locally_saturated_s"])[mine]
    )
    beyond = np.zeros(len(own))
    beyond[whole(found.resources["phase"])[mine]] = -held
    beyond += numbers(cores.phases["used"]) / own
    return np.clip(beyond, 0.0, numbers(found.phases["overhead_s"]))
