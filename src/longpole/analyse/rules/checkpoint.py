"""Training that stops to save checkpoints.

Looks for checkpoints whose saving takes 5 % or more of the makespan on the critical path; loading them does
not count. What is replayed is a run that does not wait for them, as if they were saved beside the training;
at the least half of their time is saved, by half as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.inside import LEAST_SHARE, Inside, inside, percent
from longpole.analyse.sentences import count_of
from longpole.units import show_seconds

_ADVICE = (
    "Save beside the training: torch.distributed.checkpoint.async_save, Lightning's AsyncCheckpointIO, or a "
    "thread that writes a copy of the state that lies in memory; and to a local disk first."
)
_LESS_OFTEN = (
    " Or save less often, {fewer} times instead of {often} to begin with (every_n_epochs, "
    "every_n_train_steps, save_steps)."
)


@dataclass(frozen=True)
class Checkpoint:
    """See the head of this file."""

    name: str = "checkpoint"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield all checkpoints together, if saving them takes long."""
        places = case.tree.places_of_kind("checkpoint")
        loads = [at for at, name in enumerate(case.tree.names) if name.rpartition(".")[2] == "load"]
        found = inside(case, places[~np.isin(case.tree.name[places], loads)])
        if found.share >= LEAST_SHARE:
            yield _suspicion(case, found)


RULE = Checkpoint()


def _suspicion(case: Case, found: Inside) -> Suspicion:
    within = np.flatnonzero(found.marks)
    often = len(found.on_path)
    return Suspicion(
        rule=RULE.name,
        title="The run waits while checkpoints are saved",
        phase=case.labels.of(int(found.on_path[0])),
        evidence=_evidence(case, found),
        advice=_ADVICE + (_LESS_OFTEN.format(fewer=often // 2, often=often) if often > 1 else ""),
        change=Change(factors=case.factors(within, 0.0)),
        change_said="checkpoints saved beside the training",
        at_least=Change(factors=case.factors(within, 0.5)),
    )


def _evidence(case: Case, found: Inside) -> tuple[str, ...]:
    saved = found.on_path
    took = f"{show_seconds(found.path_s)} of the critical path, {percent(found.share)} of the run"
    first = (
        f"{count_of(len(saved), 'checkpoint')} took {took}: {show_seconds(found.path_s / len(saved))} each."
    )
    if len(saved) == 1:
        return (first,)
    apart_s = float(np.diff(case.tree.start_ns[saved]).mean()) / 1e9
    return first, f"One was saved every {show_seconds(apart_s)}, on average."
