"""Training whose GPU is idle for most of the time.

Looks for training steps during which a GPU that the run uses was busy for less than half of the time, by
samples. While a step waits for data or saves a checkpoint the GPU is taken to be idle: that is what other
rules are for. What is replayed is the rest of each step in no more time than the GPU was busy; at the least
half of that is gained. Where steps were only counted, epochs stand for them. Of several GPUs the busiest
counts. Driver samples tell that some kernel ran, not that it filled the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.gauge import gpus_busy
from longpole.analyse.rules.inside import LEAST_SHARE, Inside, inside, percent
from longpole.analyse.sentences import count_of
from longpole.units import show_seconds

_MOST_BUSY = 0.5
# A GPU that is less busy is not what the steps compute on, unless they say so.
_LEAST_USED = 0.02
_ASIDE = ("data", "checkpoint")
_ADVICE = (
    "Give the GPU more at once, and wait for it less often: a batch {larger} times as large, "
    "torch.compile(model, mode='reduce-overhead') or CUDA graphs for many small kernels, "
    "DataLoader(pin_memory=True) with .to(device, non_blocking=True) for copies, and no .item(), .cpu() or "
    "print of a tensor in every step."
)


@dataclass(frozen=True, slots=True, eq=False)
class _Idle:
    """Steps and how busy a GPU was in them.

    Attributes:
        gpu: Its name.
        busy: Share of the time of the steps in which it was busy.
        steps: The steps.
        aside: What in them other rules are for.
        steps_s: How long the steps took in all.
        aside_s: The same for what other rules are for, by kind.
    """

    gpu: str
    busy: float
    steps: Inside
    aside: Inside
    steps_s: float
    aside_s: dict[str, float]

    @property
    def rest_s(self) -> float:
        """How long steps took but for what other rules are for."""
        return self.steps_s - sum(self.aside_s.values())

    @property
    def rest_idle_s(self) -> float:
        """How long the GPU was idle in the rest."""
        return max(0.0, self.rest_s - self.busy * self.steps_s)


@dataclass(frozen=True)
class IdleGpu:
    """See the head of this file."""

    name: str = "idle-gpu"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield the busiest GPU, if it is idle most of the time."""
        steps = _steps(case)
        busy, gpu = _busiest(case, steps)
        used = busy >= _LEAST_USED or (busy > 0 and len(case.tree.places_of_kind("device")) > 0)
        if steps.share < LEAST_SHARE or not used or busy >= _MOST_BUSY:
            return
        found = _idle(case, steps, gpu, busy)
        if found.rest_idle_s > 0:
            yield _suspicion(case, found)


RULE = IdleGpu()


def _steps(case: Case) -> Inside:
    """Return the training steps, or the epochs where too few steps were noted one by one."""
    steps, epochs = (inside(case, case.tree.places_of_kind(kind)) for kind in ("step", "epoch"))
    took_s, epochs_s = (float(case.took_ns[some.outermost].sum()) for some in (steps, epochs))
    return steps if 2 * took_s >= epochs_s else epochs


def _busiest(case: Case, steps: Inside) -> tuple[float, str]:
    """Return how busy the busiest GPU was in the steps, and its name; 0 if nothing was measured."""
    starts, ends = (times[steps.outermost] for times in (case.tree.start_ns, case.tree.end_ns))
    found = [(gauge.mean(starts, ends) or 0.0, gauge.name) for gauge in gpus_busy(case.samples)]
    return max(found, default=(0.0, ""))


def _idle(case: Case, steps: Inside, gpu: str, busy: float) -> _Idle:
    places = case.tree.places_of_kind(*_ASIDE)
    aside = inside(case, places[steps.marks[places]])
    of_kind = {kind: np.isin(aside.outermost, case.tree.places_of_kind(kind)) for kind in _ASIDE}
    took = case.took_ns[aside.outermost] / 1e9
    aside_s = {kind: float(took[chosen].sum()) for kind, chosen in of_kind.items()}
    return _Idle(gpu, busy, steps, aside, float(case.took_ns[steps.outermost].sum()) / 1e9, aside_s)


def _suspicion(case: Case, found: _Idle) -> Suspicion:
    rest = np.flatnonzero(found.steps.marks & ~found.aside.marks)
    busy_share = 1 - found.rest_idle_s / found.rest_s
    return Suspicion(
        rule=RULE.name,
        title="The GPU is idle for most of the training",
        phase=case.labels.of(int(found.steps.outermost[0])),
        evidence=_evidence(case, found),
        advice=_ADVICE.format(larger=round(min(8.0, max(2.0, 1 / busy_share)))),
        change=Change(factors=case.factors(rest, busy_share)),
        change_said="steps that keep the GPU busy once their data is there",
        at_least=Change(factors=case.factors(rest, (1 + busy_share) / 2)),
    )


def _evidence(case: Case, found: _Idle) -> tuple[str, ...]:
    steps = found.steps.outermost
    what = count_of(len(steps), case.tree.kinds[int(case.tree.kind[steps[0]])])
    idle_s = (1 - found.busy) * found.steps_s
    took = f"{what}, {show_seconds(found.steps_s)} in all"
    data_s, saving_s = (show_seconds(found.aside_s[kind]) for kind in _ASIDE)
    whose = f"neither waits for data ({data_s}) nor checkpoints ({saving_s})"
    return (
        f"{found.gpu or 'The GPU'} was busy {percent(found.busy)} of the time in {took}.",
        f"Of {show_seconds(idle_s)} that it was idle, {show_seconds(found.rest_idle_s)} are {whose}.",
    )
