"""Programs that spend their time on imports.

Looks for imports that take 5 % or more of the makespan on the critical path, in all processes together. Where
most of it is the same modules imported again by one short process after the other, what is replayed is one
import of each module for as many processes as ran at once on average: workers that stay. Else which of the
modules are needed is not known: it is half of the time for imports, at the least nothing is gained, for all
may be needed, and at the most all of it. Imports within imports are part of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import NO_CHANGE, Change
from longpole.analyse.graph import Whole
from longpole.analyse.profile import profile
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.inside import LEAST_SHARE, Inside, inside, percent, slowest
from longpole.analyse.sentences import count_of
from longpole.units import show_seconds

# Which share of what a program imports it is taken to need, where nothing tells.
_NEEDED = 0.5
_LAZY = (
    "Import {slowest}, and what else of these {took} is not always needed, only where it is: write the "
    "import inside the function that uses it, or leave it out. 'python -X importtime' lists what each import "
    "takes; files on a network are slow to import, so keep the environment on a local disk."
)
_WARM = (
    "Start {workers} once, for many tasks, instead of a new Python for every task: "
    "concurrent.futures.ProcessPoolExecutor, multiprocessing.Pool, or one program that loops over its "
    "inputs. Where that cannot be, import {slowest} only inside the functions that use it."
)


@dataclass(frozen=True)
class ImportTime:
    """See the head of this file."""

    name: str = "import-time"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield all imports together, if they take long."""
        found = inside(case, case.tree.places_of_kind("import"))
        if found.share >= LEAST_SHARE:
            again = _again(case, found)
            repeated = np.isin(found.outermost, again)
            often = 2 * found.path_ns[repeated].sum() >= found.path_ns.sum()
            yield _warm(case, found, again) if often else _lazy(case, found)


RULE = ImportTime()


def _again(case: Case, found: Inside) -> Whole:
    """Return the imports that workers which stay would not do: each does one of a module."""
    workers = _workers(case, found)
    seen: dict[int, int] = {}
    again = []
    codes = case.labels.codes[found.outermost].tolist()
    for place, code in zip(found.outermost.tolist(), codes, strict=True):
        seen[code] = seen.get(code, 0) + 1
        if seen[code] > workers:
            again.append(place)
    return np.array(again, np.int64)


def _workers(case: Case, found: Inside) -> int:
    """Return how many of the phases that imports are part of, processes mostly, ran at once on average.

    The most at once would mislead: the end of a process that was sampled may lie after the next one's begin.
    """
    importing = np.unique(np.maximum(case.tree.parent[found.outermost], 0))
    ran = profile(case.tree.start_ns[importing], case.tree.end_ns[importing])
    return max(1, round(ran.mean() / max(ran.at_least(1), 1e-9)))


def _lazy(case: Case, found: Inside) -> Suspicion:
    within = np.flatnonzero(found.marks)
    return Suspicion(
        rule=RULE.name,
        title="Importing modules takes long",
        phase=f"import {_first(case, found)}",
        evidence=_evidence(case, found),
        advice=_LAZY.format(slowest=_first(case, found), took=show_seconds(found.path_s)),
        change=Change(factors=case.factors(within, _NEEDED)),
        change_said="half of the time for imports, for which of them are needed is not known",
        at_least=NO_CHANGE,
        at_most=Change(factors=case.factors(within, 0.0)),
    )


def _warm(case: Case, found: Inside, again: Whole) -> Suspicion:
    within = np.flatnonzero(np.isin(found.owner, again))
    workers = count_of(_workers(case, found), "worker process")
    again_of_all = f"{len(again):,} of {count_of(len(found.outermost), 'import')}"
    return Suspicion(
        rule=RULE.name,
        title="Every process imports the same modules again",
        phase=f"import {_first(case, found)}",
        evidence=(
            *_evidence(case, found),
            f"In the whole run {again_of_all} had been done before by another process.",
        ),
        advice=_WARM.format(workers=workers, slowest=_first(case, found)),
        change=Change(factors=case.factors(within, 0.0)),
        change_said=f"each module imported once by each of {workers}",
        at_least=Change(factors=case.factors(within, 0.5)),
        at_most=Change(factors=case.factors(np.flatnonzero(found.marks), 0.0)),
    )


def _evidence(case: Case, found: Inside) -> tuple[str, ...]:
    where = len(np.unique(case.tree.process[found.on_path]))
    took = f"{show_seconds(found.path_s)} of the critical path, {percent(found.share)} of the run"
    return (
        f"{count_of(len(found.on_path), 'import')} in {count_of(where, 'process')} took {took}.",
        f"The slowest: {slowest(case, found)}.",
    )


def _first(case: Case, found: Inside) -> str:
    """Return the module that takes longest."""
    codes, places = np.unique(case.labels.codes[found.outermost], return_inverse=True)
    return case.labels.words[codes[np.argmax(np.bincount(places, found.path_ns))]] or "?"
