"""How well cores and GPUs of a host were used: by the run, by others, and while it waited for data.

Method: cores by ``interference``. A GPU is idle for what its samples leave; where processes that train have
marked waits for data, the idle time within such waits is told apart. Samples of about a second are told apart
by phases first, as far as samples can tell these.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from longpole.analyse.arrays import column, numbers, over, seconds, whole
from longpole.analyse.gpu_phases import gpus_of
from longpole.analyse.host_bounds import Site
from longpole.analyse.host_means import Measured, measured, seconds_of
from longpole.analyse.interference import interference
from longpole.analyse.intervals import Intervals, union
from longpole.analyse.levels import integral
from longpole.analyse.process_samples import CORES
from longpole.analyse.tree import Tree
from longpole.model.attribution import Resource
from longpole.model.bounds import Utilisation
from longpole.model.columns import Columns


def utilisation(tree: Tree, site: Site, gpu: Measured | None) -> Iterator[Utilisation]:
    """Yield how cores and then GPUs of a host were used.

    Args:
        tree: The phases of the run.
        site: The host.
        gpu: How busy its GPUs were, told apart by phases; nothing if none was used.
    """
    for host in measured(site.samples, site.host, "cpu", "host", "user", "system"):
        yield _cores(site, host)
    waited = _data_wait_share(tree, site, gpu) if gpu is not None else None
    for one in gpus_of(site.samples, site.host):
        length = seconds_of(one)
        start, end = whole(one.samples["start_ns"]), whole(one.samples["end_ns"])
        busy = float((numbers(one.samples["value"]) * seconds(start, end)).sum())
        yield Utilisation(one.name, 1.0, busy / length if length else 0.0, data_wait_share=waited)


def _cores(site: Site, host: Measured) -> Utilisation:
    own = site.use.of(CORES, site.lives)
    times = {name: column(site.lives.clock(whole(own[name]))) for name in ("start_ns", "end_ns")}
    ours = Columns({**times, "value": own["value"]})
    found = interference(host.samples, ours, Resource("cores", "cores", site.cores))
    length = found.sampled_s or 1.0
    contended = None if found.contended_s is None else found.contended_s / length
    return Utilisation("cores", site.cores, found.ours / length, found.others / length, contended)


def _data_wait_share(tree: Tree, site: Site, gpu: Measured) -> float | None:
    """Return the share of idle time in which some process waited for data; None if nobody marked any."""
    places = tree.places_of_kind("data")
    places = places[np.isin(tree.process[places], site.lives.process)]
    start, end = whole(gpu.samples["start_ns"]), whole(gpu.samples["end_ns"])
    if not len(places) or not len(start):
        return None
    idle = integral(start, end, 1.0 - np.minimum(numbers(gpu.samples["value"]), 1.0))
    waits = union(Intervals(np.zeros(len(places), np.int64), tree.start_ns[places], tree.end_ns[places]))
    within = idle.over(waits.start, waits.end).sum(keepdims=True)
    every = idle.over(start[:1], end[-1:])
    return float(over(within, every)[0])
