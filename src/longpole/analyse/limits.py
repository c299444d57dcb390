"""What an explanation could not say, and why, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.analyse.evidence import Evidence
from longpole.analyse.sentences import count_of
from longpole.analyse.structure import Structure
from longpole.analyse.times import Times
from longpole.model.manifest import State
from longpole.model.overview import Overview

_NO_TIMES = "No task start times: only DAG bounds can be given."


def limits_of(evidence: Evidence, times: Times | None, graph: Structure) -> Iterator[str]:
    """Yield what kept the run from being whole, what nobody told, and what was not seen."""
    yield from _not_whole(evidence.overview)
    yield from evidence.gaps
    if times is None and len(graph.ids) and _NO_TIMES not in evidence.gaps:
        yield _NO_TIMES
    if not graph.antichain.exact:
        yield "The number of tasks that could run at once is a lower bound: the graph is too large for more."
    if times is not None and times.tree.orphans:
        orphans = count_of(times.tree.orphans, "phase")
        yield f"{orphans} without a parent: what they are part of is not there; they count as the run's own."
    if evidence.pipes:
        pairs = f"{count_of(len(evidence.pipes), 'pair')} of processes hand{'s' * (len(evidence.pipes) == 1)}"
        yield f"{pairs} data over by a pipe while both run: no edge, as neither waits for the other's end."
    yield from evidence.overview.unseen
    yield from evidence.overview.limits


def _not_whole(overview: Overview) -> Iterator[str]:
    """Yield what kept the run from its end: what is said holds up to there."""
    if overview.state == State.RUNNING:
        yield "The run is still going: what is said holds up to now."
    elif overview.signal is not None or overview.state == State.BROKEN:
        yield "The run was broken off: what is said holds up to there."
    elif overview.exit_code:
        yield f"The command failed with exit code {overview.exit_code}: what is said holds up to there."
    failed = sum(task.failed for task in overview.tasks)
    if failed:
        yield f"{count_of(failed, 'task')} failed; what they took is in here."
