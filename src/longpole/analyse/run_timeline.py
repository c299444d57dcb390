"""A run over time, from its phases and its critical path.

What is drawn: every phase but the run itself, and of a job that tells when it ran only its parts. Steps and
their parts share rows, as all phases of one name and kind do. A serial phase that is on the path as a whole
is drawn by what is in it: at each moment the innermost phase is on the path.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from longpole.analyse.blame import Labels
from longpole.analyse.explain import running_places
from longpole.analyse.graph import Whole
from longpole.analyse.timeline import Intervals, timeline
from longpole.analyse.times import Times
from longpole.analyse.tree import Tree
from longpole.model.timeline import Timeline

_AROUND = ("run", "workflow")
# What takes less than this part of the run is not seen in any drawing of it.
_FINEST = 20_000
_OK = Labels(np.zeros(0, np.int64), ("ok",))


def timeline_of(times: Times, most_rows: int | None = 30) -> Timeline:
    """Return a run over time in at most so many rows; None for all of them."""
    tree = times.tree
    places = _drawn(tree)
    row_of = np.full(len(tree), -1, np.int64)
    row_of[places] = np.arange(len(places))
    critical = [
        (int(row_of[phase]), start, end) for phase, start, end in _innermost(times) if row_of[phase] >= 0
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


def _innermost(times: Times) -> Iterator[tuple[int, int, int]]:
    """Yield which phase is on the path, from when to when; what is too short to be seen is left out."""
    tree = times.tree
    whole = np.zeros(len(tree), np.bool_)
    for stretch in times.path:
        if stretch.whole:
            whole[stretch.phase] = True
        else:
            yield stretch.phase, stretch.start_ns, stretch.end_ns
    yield from _own_times(tree, np.flatnonzero(tree.with_all_within(whole)))


def _own_times(tree: Tree, places: Whole) -> Iterator[tuple[int, int, int]]:
    """Yield the time of serial phases that is in none of their parts."""
    parts = places[np.isin(tree.parent[places], places)]
    parts = parts[np.lexsort((tree.start_ns[parts], tree.parent[parts]))]
    around = tree.parent[parts]
    first, last = np.diff(around, prepend=-2) != 0, np.diff(around, append=-2) != 0
    before = np.where(first, tree.start_ns[around], np.roll(tree.end_ns[parts], 1))
    leaves = places[~np.isin(places, around)]
    phases = np.concatenate([leaves, around, around[last]])
    starts = np.concatenate([tree.start_ns[leaves], before, tree.end_ns[parts[last]]])
    ends = np.concatenate([tree.end_ns[leaves], tree.start_ns[parts], tree.end_ns[around[last]]])
    seen = np.flatnonzero(ends - starts > (tree.end_ns[0] - tree.start_ns[0]) // _FINEST)
    yield from zip(phases[seen].tolist(), starts[seen].tolist(), ends[seen].tolist(), strict=True)


def _drawn(tree: Tree) -> Whole:
    drawn = np.ones(len(tree), np.bool_)
    drawn[tree.places_of_kind(*_AROUND)] = False
    jobs, parts = tree.places_of_kind("job"), tree.places_of_kind("exec")
    drawn[jobs[np.isin(jobs, tree.parent[parts])]] = False
    return np.flatnonzero(drawn)
