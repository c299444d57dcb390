"""A run over time, from its phases and its critical path.

What is drawn: every phase but the run itself, and of a job that tells when it ran only its parts. Steps and
their parts share rows, as all phases of one name and kind do.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.blame import Labels
from longpole.analyse.explain import Times, running_places
from longpole.analyse.graph import Whole
from longpole.analyse.timeline import Intervals, timeline
from longpole.analyse.tree import Tree
from longpole.model.timeline import Timeline

_AROUND = ("run", "workflow")
_OK = Labels(np.zeros(0, np.int64), ("ok",))


def timeline_of(times: Times, most_rows: int | None = 30) -> Timeline:
    """Return a run over time in at most so many rows; None for all of them."""
    tree = times.tree
    places = _drawn(tree)
    row_of = np.full(len(tree), -1, np.int64)
    row_of[places] = np.arange(len(places))
    critical = [
        (int(row_of[one.phase]), one.start_ns, one.end_ns) for one in times.path if row_of[one.phase] >= 0
    ]
    intervals = Intervals(
        label=Labels(times.labels.codes[places], times.labels.words),
        kind=Labels(tree.kind[places], tree.kinds),
        status=Labels(np.zeros(len(places), np.int64), _OK.words),
        start_ns=tree.start_ns[places],
        end_ns=tree.end_ns[places],
        running=np.isin(places, running_places(tree)),
    )
    window = int(tree.start_ns[0]), int(tree.end_ns[0])
    return timeline(intervals, critical, most_rows=most_rows, window_ns=window)


def _drawn(tree: Tree) -> Whole:
    drawn = np.ones(len(tree), np.bool_)
    drawn[tree.places_of_kind(*_AROUND)] = False
    jobs, parts = tree.places_of_kind("job"), tree.places_of_kind("exec")
    drawn[jobs[np.isin(jobs, tree.parent[parts])]] = False
    return np.flatnonzero(drawn)
