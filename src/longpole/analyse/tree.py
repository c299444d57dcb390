"""The tree of a run's phases as arrays, and which of them lie one after the other.

A phase is *serial* if its parts neither overlap nor reach beyond it, none is a wait, and each of them is
serial too: all of its time can then be told apart by sums, however many million parts it has. Phases that
took no time, or whose times are not known, have no place here. One whose parent has no place is part of the
run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.model.columns import Column, Columns

Marks = NDArray[np.bool_]
Value = TypeVar("Value", np.int64, np.float64)
NONE = -1
# Kinds of phase that are waits: what ended them may lie elsewhere in the tree.
WAITS = ("hold", "queue", "submitted")
# Those of them in which a task could have started, and waited for room.
_QUEUES = ("queue", "submitted")
_ROWS = ("ids", "start_ns", "end_ns", "kind", "name", "task", "process", "lane")


@dataclass(frozen=True, eq=False)
class Tree:
    """Phases by place; the run is the first.

    Attributes:
        ids: Their ids in the table of phases.
        parent: Place of the phase each is part of; ``NONE`` for the run.
        start_ns: When each began.
        end_ns: When each ended.
        kind: Place of its kind in ``kinds``.
        name: Place of its name in ``names``.
        task: Id of its task; 0 if it has none.
        process: Id of the process it ran in; 0 if it is not known.
        lane: Thread or stream within that; 0 if it is not known.
        kinds: Words for kinds.
        names: Words for names.
        orphans: How many phases have a parent that has no place.
        queued_ns: How long each waited in a queue before it began; None while waits are phases themselves.
    """

    ids: Whole
    parent: Whole
    start_ns: Whole
    end_ns: Whole
    kind: Whole
    name: Whole
    task: Whole
    process: Whole
    lane: Whole
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    orphans: int = 0
    queued_ns: Whole | None = None

    def __len__(self) -> int:
        """Return how many phases there are."""
        return len(self.ids)

    @cached_property
    def depth(self) -> Whole:
        """How many phases each is within; phases within each other in a circle are cut off as the run's."""
        return _depths(self.parent)

    @cached_property
    def serial(self) -> Marks:
        """Whether all parts of each phase, at any depth, lie one after the other and within it."""
        broken = _own_parts_broken(self)
        broken[self.places_of_kind(*WAITS)] = True
        for depth in range(int(self.depth.max(initial=0)), 0, -1):
            here = np.flatnonzero((self.depth == depth) & broken)
            broken[self.parent[here]] = True
        return ~broken

    @cached_property
    def self_ns(self) -> Whole:
        """How long each phase took less its parts; true of serial phases only."""
        took: Whole = self.end_ns - self.start_ns
        parts = np.zeros(len(self), np.int64)
        np.add.at(parts, self.parent[1:], took[1:])
        return took - parts

    def with_all_within(self, chosen: Marks) -> Marks:
        """Return phases that are chosen, or within one that is, at any depth."""
        chosen = chosen.copy()
        for depth in range(1, int(self.depth.max(initial=0)) + 1):
            here = np.flatnonzero(self.depth == depth)
            chosen[here] |= chosen[self.parent[here]]
        return chosen

    def summed_up(self, values: NDArray[Value]) -> NDArray[Value]:
        """Return for each phase its value and those of all within it."""
        sums = values.copy()
        for depth in range(int(self.depth.max(initial=0)), 0, -1):
            here = np.flatnonzero(self.depth == depth)
            np.add.at(sums, self.parent[here], sums[here])
        return sums

    def places_of_kind(self, *kinds: str) -> Whole:
        """Return where phases of these kinds are."""
        wanted = [at for at, kind in enumerate(self.kinds) if kind in kinds]
        return np.flatnonzero(np.isin(self.kind, wanted))


def tree_of(phases: Columns) -> Tree:
    """Return the tree of a run.

    Args:
        phases: Columns ``id``, ``parent``, ``kind``, ``name``, ``task``, ``process``, ``lane``, ``start_ns``
            and ``end_ns`` of phases that stand for one interval each; the run is the first without a parent.
    """
    start, end = numbers(phases["start_ns"]), numbers(phases["end_ns"])
    known = known_rows(phases["start_ns"]) & known_rows(phases["end_ns"])
    top = np.flatnonzero(known & ~known_rows(phases["parent"]))[:1]
    kept = np.flatnonzero(known & (end > start))
    kept = np.concatenate([top, kept[~np.isin(kept, top)]])
    ids = numbers(phases["id"])[kept]
    parent, orphans = _places(ids, numbers(phases["parent"])[kept], known_rows(phases["parent"])[kept])
    depth = _depths(parent)
    parent[np.flatnonzero(depth < 0)] = 0
    return Tree(
        ids=ids,
        parent=parent,
        start_ns=start[kept],
        end_ns=end[kept],
        kind=numbers(phases["kind"])[kept],
        name=numbers(phases["name"])[kept],
        task=_or_zero(phases["task"])[kept],
        process=_or_zero(phases["process"])[kept],
        lane=_or_zero(phases["lane"])[kept],
        kinds=phases["kind"].words or ("",),
        names=phases["name"].words or ("",),
        orphans=orphans,
    )


def executing(tree: Tree) -> Tree:
    """Return the tree without waits: a phase that began with some begins when the last of them has ended.

    So does a job whose first part began with some. A wait that has parts is none: they tell what it was. One
    between two executions, as of a job that was put back into the queue, is a gap within the phase.
    """
    waits = _waits(tree)
    if not waits.any():
        return tree
    start_ns, queued_ns = _after(tree, waits)
    kept = ~waits & (start_ns < tree.end_ns)
    kept[0] = True
    return _only(replace(tree, start_ns=start_ns, queued_ns=queued_ns), kept)


def _waits(tree: Tree) -> Marks:
    waits = np.zeros(len(tree), np.bool_)
    waits[tree.places_of_kind(*WAITS)] = True
    waits[tree.parent[1:]] = False
    return waits


def _after(tree: Tree, waits: Marks) -> tuple[Whole, Whole]:
    """Return when each phase begins after its waits, and how long those in a queue were."""
    start_ns, queued_ns = tree.start_ns.copy(), np.zeros(len(tree), np.int64)
    waits = waits & (tree.start_ns < _first_work_ns(tree, waits)[tree.parent])
    kinds = [np.isin(np.arange(len(tree)), tree.places_of_kind(*some)) for some in (_QUEUES, ("job",))]
    for depth in range(int(tree.depth.max(initial=0)), 0, -1):
        here = np.flatnonzero((tree.depth == depth) & waits)
        np.maximum.at(start_ns, tree.parent[here], tree.end_ns[here])
        queues = here[kinds[0][here]]
        np.add.at(queued_ns, tree.parent[queues], tree.end_ns[queues] - tree.start_ns[queues])
        late = np.flatnonzero((tree.depth == depth) & (start_ns > tree.start_ns))
        late = late[kinds[1][tree.parent[late]] & (tree.start_ns[late] <= start_ns[tree.parent[late]])]
        np.maximum.at(start_ns, tree.parent[late], start_ns[late])
        np.add.at(queued_ns, tree.parent[late], queued_ns[late])
        queued_ns[late] = 0
    start_ns[0], queued_ns[0] = tree.start_ns[0], 0
    return start_ns, queued_ns


def parts_passed_up(tree: Tree, gone: Marks) -> Tree:
    """Return the tree without some phases; their parts are parts of what those were part of."""
    parent = tree.parent.copy()
    while (through := (parent > 0) & gone[parent]).any():
        parent[through] = tree.parent[parent[through]]
    return _only(replace(tree, parent=parent), ~gone)


def _first_work_ns(tree: Tree, waits: Marks) -> Whole:
    """Return when the first part of each phase began that is no wait; the end of time if it has none."""
    first = np.full(len(tree), np.iinfo(np.int64).max)
    work = np.flatnonzero(~waits)[1:]
    np.minimum.at(first, tree.parent[work], tree.start_ns[work])
    return first


def _only(tree: Tree, kept: Marks) -> Tree:
    """Return some phases of a tree; a part of one that is left out is part of the run."""
    places = np.cumsum(kept) - 1
    there = np.where((tree.parent >= 0) & kept[tree.parent], places[tree.parent], 0)[kept]
    there[:1] = NONE
    rows = {name: getattr(tree, name)[kept] for name in _ROWS}
    if tree.queued_ns is not None:
        rows["queued_ns"] = tree.queued_ns[kept]
    return replace(tree, **{**rows, "parent": there})


def numbers(column: Column) -> Whole:
    """Return a column as integers."""
    return np.asarray(column.values).astype(np.int64, copy=False)


def known_rows(column: Column) -> Marks:
    """Return which rows of a column are known."""
    if column.known is None:
        return np.ones(len(column), np.bool_)
    return np.asarray(column.known).astype(np.bool_)


def _or_zero(column: Column) -> Whole:
    found: Whole = np.where(known_rows(column), numbers(column), 0)
    return found


def _places(ids: Whole, parents: Whole, known: Marks) -> tuple[Whole, int]:
    """Return where each parent is, and how many are nowhere; those are part of the run."""
    by_id = np.argsort(ids, kind="stable")
    at = np.searchsorted(ids[by_id], parents)
    at = np.minimum(at, max(len(ids) - 1, 0))
    found = by_id[at] if len(ids) else at
    there = known & (ids[found] == parents) & (found != np.arange(len(ids)))
    places = np.where(there, found, 0)
    if len(places):
        places[0] = NONE
    return places, int((known & ~there)[1:].sum())


def _depths(parent: Whole) -> Whole:
    """Return how deep each phase lies; below 0 for those that never come to the run."""
    depth = np.full(len(parent), NONE, np.int64)
    depth[:1] = 0
    waiting = np.arange(1, len(parent))
    while len(waiting):
        above = depth[parent[waiting]]
        depth[waiting] = np.where(above >= 0, above + 1, NONE)
        left = waiting[above < 0]
        if len(left) == len(waiting):
            break
        waiting = left
    return depth


def _own_parts_broken(tree: Tree) -> Marks:
    """Return which phases have parts that overlap each other or reach beyond."""
    broken = np.zeros(len(tree), np.bool_)
    order = np.lexsort((tree.start_ns, tree.parent))[1:]  # the run comes first, and is nobody's part
    parent, start, end = tree.parent[order], tree.start_ns[order], tree.end_ns[order]
    overlap = (parent[1:] == parent[:-1]) & (start[1:] < end[:-1])
    broken[parent[1:][overlap]] = True
    beyond = (start < tree.start_ns[parent]) | (end > tree.end_ns[parent])
    broken[parent[beyond]] = True
    return broken
