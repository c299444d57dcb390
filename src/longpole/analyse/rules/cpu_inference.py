"""Inference on the CPU, beside a GPU that does nothing.

Looks for inference (steps of inference, phases whose kind or name says infer or predict) that takes 5 % or
more of the makespan on the critical path and keeps the CPU busy, while every GPU of the host was busy for
less than 5 % of that time. What is replayed is inference ten times as fast, its wait for data apart. The ten
is an assumption: a GPU was not tried, and the factor depends on the model. At the least it is taken to be 2,
at the most 50.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.gauge import Gauge, gauges
from longpole.analyse.rules.inside import LEAST_SHARE, Inside, inside, percent
from longpole.analyse.sentences import count_of
from longpole.units import show_seconds

_MOST_BUSY = 0.05
# With fewer cores busy the process waits for somebody else: a server, a disk.
_LEAST_CORES = 0.5
_KINDS = ("inference", "predict")
_WORDS = ("infer", "predict")
# These are named after a program or a module, and hold more than inference.
_NEVER = ("run", "workflow", "process", "import", "step", "device")
_ASIDE = ("data", "checkpoint", "import")
_FACTOR, _LEAST_FACTOR, _MOST_FACTOR = 0.1, 0.5, 0.02
_ADVICE = (
    "Compute it on the GPU: model.to('cuda'), batch.to('cuda') and torch.inference_mode() in PyTorch, the "
    "build with CUDA of Keras, JAX or ONNX Runtime, cuML for scikit-learn; larger batches use it better. "
    "That it is 10 times as fast is an assumption, so time one batch first."
)


@dataclass(frozen=True)
class CpuInference:
    """See the head of this file."""

    name: str = "cpu-inference"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield all inference together, if it ran on the CPU for want of being sent to the GPU."""
        found = _inference(case)
        if found.share < LEAST_SHARE:
            return
        starts, ends = (times[found.outermost] for times in (case.tree.start_ns, case.tree.end_ns))
        gpus = gauges(case.samples, "gpu", "busy", "device")
        busy = [gauge.mean(starts, ends) for gauge in gpus]
        cores = _cores(case, starts, ends)
        if busy and cores >= _LEAST_CORES and all(one is not None and one < _MOST_BUSY for one in busy):
            yield _suspicion(case, found, gpus, max(one for one in busy if one is not None), cores)


RULE = CpuInference()


def _inference(case: Case) -> Inside:
    """Return the phases of inference; one that holds training is none."""
    tree = case.tree
    named = [at for at, name in enumerate(tree.names) if any(one in name.lower() for one in _WORDS)]
    marks = np.isin(tree.name, named)
    marks[tree.places_of_kind(*_KINDS)] = True
    marks[tree.places_of_kind(*_NEVER)] = False
    found = inside(case, np.flatnonzero(marks))
    training = np.unique(found.owner[tree.places_of_kind("step")])
    return inside(case, np.setdiff1d(found.outermost, training)) if len(training) else found


def _cores(case: Case, starts_ns: Whole, ends_ns: Whole) -> float:
    """Return how many cores were busy meanwhile: by the host's samples, and the run's total at most."""
    overview = case.overview
    if overview.cpu_user_s is None or overview.cpu_system_s is None:
        return 0.0
    took_s = float((ends_ns - starts_ns).sum()) / 1e9
    most = (overview.cpu_user_s + overview.cpu_system_s) / took_s if took_s else 0.0
    host = [gauges(case.samples, "cpu", metric, "host") for metric in ("user", "system")]
    means = [gauge.mean(starts_ns, ends_ns) for some in host for gauge in some]
    known = [one for one in means if one is not None]
    return min(most, sum(known)) if known else most


def _suspicion(case: Case, found: Inside, gpus: tuple[Gauge, ...], busy: float, cores: float) -> Suspicion:
    aside = inside(case, case.tree.places_of_kind(*_ASIDE))
    computed = np.flatnonzero(found.marks & ~aside.marks)
    took = f"{show_seconds(found.path_s)} of the critical path, {percent(found.share)} of the run"
    idle = (
        f"{gpus[0].name or 'The GPU'} was busy"
        if len(gpus) == 1
        else f"None of {len(gpus)} GPUs was busier than"
    )
    evidence = (
        f"{count_of(len(found.on_path), 'phase')} of inference took {took}, and kept {cores:.1f} cores busy.",
        f"{idle} {percent(busy)} of that time.",
    )
    return Suspicion(
        rule=RULE.name,
        title="Inference runs on the CPU while the GPU is idle",
        phase=case.labels.of(int(found.outermost[np.argmax(found.path_ns)])),
        evidence=evidence,
        advice=_ADVICE,
        change=Change(factors=case.factors(computed, _FACTOR)),
        change_said="inference ten times as fast, which is an assumption",
        at_least=Change(factors=case.factors(computed, _LEAST_FACTOR)),
        at_most=Change(factors=case.factors(computed, _MOST_FACTOR)),
    )
