"""Tasks that wait while data is moved.

Looks for phases that stage data in or out, or transfer it, and take 5 % or more of the makespan on the
critical path. What is replayed is the run without them, as if all data were there, or moved beside the
computation; at the least half of their time is saved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.inside import LEAST_SHARE, Inside, inside, percent, slowest
from longpole.analyse.sentences import count_of
from longpole.units import show_seconds

_KINDS = {"stage_in": "to stage data in", "stage_out": "to stage data out", "transfer": "to transfer data"}
_ADVICE = (
    "Move data less than {moved} times, or meanwhile: keep inputs that several tasks share on the node's own "
    "disk (a cache, Nextflow's stageInMode 'symlink', Snakemake's local storage), run tasks that hand files "
    "to each other on the same node, compress what is large, and fetch the next input while a task computes."
)
_ADVICE_OF_OURS = (
    "Move data less than {moved} times: where jobs see the same file system, run them in place (--placement "
    "shared-fs); put tasks that hand files to each other into one job (--placement clustering), so that the "
    "files stay where they are; and compress what is large."
)


@dataclass(frozen=True)
class Staging:
    """See the head of this file."""

    name: str = "staging"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield all moving of data together, if it takes long."""
        found = inside(case, case.tree.places_of_kind(*_KINDS))
        if found.share >= LEAST_SHARE:
            yield _suspicion(case, found)


RULE = Staging()


def _suspicion(case: Case, found: Inside) -> Suspicion:
    within = np.flatnonzero(found.marks)
    longest = int(found.outermost[np.argmax(found.path_ns)])
    return Suspicion(
        rule=RULE.name,
        title="Tasks wait for data to be moved",
        phase=case.labels.of(longest),
        evidence=_evidence(case, found),
        advice=(_ADVICE_OF_OURS if case.overview.workflow else _ADVICE).format(
            moved=f"{len(found.outermost):,}"
        ),
        change=Change(factors=case.factors(within, 0.0)),
        change_said="no time for staging and transfers",
        at_least=Change(factors=case.factors(within, 0.5)),
    )


def _evidence(case: Case, found: Inside) -> tuple[str, ...]:
    took = f"{show_seconds(found.path_s)} of the critical path, {percent(found.share)} of the run"
    parts = ", ".join(f"{show_seconds(seconds)} {what}" for what, seconds in _by_kind(case, found))
    return (
        f"Data was moved {len(found.on_path):,} times on the critical path, which took {took}: {parts}.",
        f"The slowest of {count_of(len(found.outermost), 'phase')} in all: {slowest(case, found)}.",
    )


def _by_kind(case: Case, found: Inside) -> Iterator[tuple[str, float]]:
    kinds = case.tree.kind[found.outermost]
    for at, kind in enumerate(case.tree.kinds):
        seconds = float(found.path_ns[kinds == at].sum()) / 1e9
        if seconds:
            yield _KINDS[kind], seconds
