"""How busy GPUs were, told apart by phases: samples of about a second hold many of them.

Method: the samples are given to the phases of the processes that train or infer, or of all if none is seen
to. Of several GPUs that were used the mean counts.

Limits: which process uses which GPU is not recorded. What the driver calls busy is that some kernel ran, not
that it filled the device.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.arrays import numbers
from longpole.analyse.host_means import Measured, mean_of, measured
from longpole.analyse.observations import stacked
from longpole.analyse.phase_rows import PhaseRows
from longpole.analyse.rates import give
from longpole.model.attribution import Resource
from longpole.model.columns import Columns

GPU = "GPU"
# A GPU that is never busier is not used.
LEAST_BUSY = 0.02
# Kinds of phase that only a process that trains or infers has.
_OF_TRAINING = ("step", "epoch", "forward", "backward", "optimizer", "inference", "batch", "data")


def gpus_of(samples: Columns, host: int) -> tuple[Measured, ...]:
    """Return how busy each GPU of a host was: with the run where the driver tells, else with anyone."""
    ours = measured(samples, host, "gpu", "tree", "busy")
    return ours or measured(samples, host, "gpu", "device", "busy")


def gpu_by_phases(rows: PhaseRows, found: tuple[Measured, ...]) -> Measured | None:
    """Return how busy the GPUs that were used were on average, told apart by phases; nothing if none was."""
    used = tuple(one for one in found if numbers(one.samples["value"]).max() >= LEAST_BUSY)
    together = mean_of(used, GPU)
    if together is None:
        return None
    training = rows.tree.process[rows.tree.places_of_kind(*_OF_TRAINING)]
    some = np.flatnonzero(np.isin(rows.tree.process[rows.real.row], training))
    work = rows.in_real_time(some if len(some) else np.arange(len(rows.real)))
    pieces = give(work, stacked(together.samples), Resource(GPU, "fraction", 1.0)).attribution.pieces
    times = {name: pieces[name] for name in ("start_ns", "end_ns")}
    return Measured(GPU, 1.0, Columns({**times, "value": pieces["used"]}))
