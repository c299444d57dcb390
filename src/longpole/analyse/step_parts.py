"""What the time of each profiler step went into, as TensorBoard's plugin for PyTorch tells it.

Method: every instant of a step belongs to the first of these that goes on in the process then: a kernel, a
copy of memory, a setting of memory, a call of CUDA, a fetch of data, an operator or annotation; else to
``other``. So the parts sum to the step.

A step lasts until its work on the device is done: it ends when its mark does, or later when all has ended
that calls within its mark have launched. It begins when its mark does, but not before the step before it has
ended; the first one not before the work has ended that came before its own. Steps at the end without work on
the device are left out, and so is the last one if it has less than 80 % as many pieces of work as the one
before: the trace does not hold all of it. If no step has work on a device, a step is its mark. Kernels that
communicate count as kernels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import groupby

import numpy as np

from longpole.analyse.marks import Marks, Whole, by_process, in_order, numbers, of_kind
from longpole.analyse.unions import union
from longpole.analyse.values import whole
from longpole.model.columns import Columns
from longpole.model.step_parts import StepParts

# In the order in which an instant is given to one of them.
_PARTS = {
    "kernel": ("kernel",),
    "memcpy": ("memcpy",),
    "memset": ("memset",),
    "runtime": ("runtime",),
    "data": ("data",),
    "operator": ("operator", "annotation"),
}
# So many of them run on devices.
_ON_DEVICE = 3
_WHOLE_STEP = 0.8
_MICRO = 1000
_NEVER = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Phases: their rows in the table, when they were launched, and which of ``_PARTS`` they can be."""

    rows: Whole
    starts: Whole
    ends: Whole
    launches: Whole
    returns: Whole
    steps: Marks
    parts: Whole

    def at(self, rows: Whole | Marks) -> _Rows:
        return _Rows(*(getattr(self, field.name)[rows] for field in fields(self)))


def step_parts(phases: Columns, processes: Columns) -> tuple[StepParts, ...]:
    """Return the parts of every step, by rank and time.

    Args:
        phases: Columns ``kind``, ``name``, ``process``, ``start_ns``, ``end_ns``, ``launch_ns`` and
            ``launch_end_ns``, when the call that launched it began and ended: steps, what ran on devices, and
            calls, fetches, operators and annotations of threads.
        processes: Columns ``id`` and ``rank``.
    """
    ranks = {whole(row["id"]): whole(row["rank"]) for row in processes.records()}
    every = _rows_of(phases)
    found = {
        owner: _of_process(ranks.get(owner), phases, every.at(rows)) for owner, rows in by_process(phases)
    }
    return tuple(step for owner in in_order(found, ranks) for step in found[owner])


def mean_parts(steps: Iterable[StepParts]) -> tuple[StepParts, ...]:
    """Return the mean step of each rank; steps of a rank must follow each other."""
    return tuple(_mean(rank, list(own)) for rank, own in groupby(steps, key=lambda step: step.rank))


def _mean(rank: int | None, steps: list[StepParts]) -> StepParts:
    sums = {f"{name}_us": 0.0 for name in (*_PARTS, "other")}
    for name in sums:
        sums[name] = sum(getattr(step, name) for step in steps) / len(steps)
    return StepParts(rank, "mean", **sums)


def _rows_of(phases: Columns) -> _Rows:
    parts = np.full(phases.rows, len(_PARTS), np.int64)
    for number, kinds in enumerate(_PARTS.values()):
        parts[of_kind(phases, *kinds)] = number
    return _Rows(
        rows=np.arange(phases.rows),
        starts=numbers(phases["start_ns"]),
        ends=numbers(phases["end_ns"]),
        launches=numbers(phases["launch_ns"], unknown=_NEVER),
        returns=numbers(phases["launch_end_ns"], unknown=_NEVER),
        steps=of_kind(phases, "step"),
        parts=parts,
    )


def _of_process(rank: int | None, phases: Columns, own: _Rows) -> list[StepParts]:
    if not own.steps.any():
        return []
    marks = own.at(own.steps)
    marks = marks.at(np.argsort(marks.starts, kind="stable"))
    begins, until = _bounds(own.at(own.parts < _ON_DEVICE), marks)
    parts = _lengths(own, begins, until)
    return [
        StepParts(rank, str(phases["name"][row]), **{name: us[at] for name, us in parts.items()})
        for at, row in enumerate(marks.rows[: len(begins)].tolist())
    ]


def _lengths(own: _Rows, begins: Whole, until: Whole) -> dict[str, list[float]]:
    """Return the parts of each step: what each kind covers beyond those before it."""
    covered, found = np.zeros(len(begins), np.int64), {}
    for number, part in enumerate(_PARTS):
        seen = own.parts <= number
        now = union(own.starts[seen], own.ends[seen]).within(begins, until)
        found[f"{part}_us"], covered = ((now - covered) / _MICRO).tolist(), now
    return {**found, "other_us": ((until - begins - covered) / _MICRO).tolist()}


def _bounds(work: _Rows, marks: _Rows) -> tuple[Whole, Whole]:
    """Return when each step that counts begins and ends, with its work on devices."""
    of = _launching_steps(work, marks)
    pieces = np.bincount(of[of >= 0], minlength=len(marks.starts))
    if not pieces.any():
        return marks.starts, marks.ends
    done, ahead = marks.ends.copy(), marks.starts[0]
    np.maximum.at(done, of[of >= 0], work.ends[of >= 0])
    if pieces[0]:
        before = (of < 0) & (work.ends < work.starts[of == 0].min())
        ahead = work.ends[before].max(initial=ahead)
    done = np.maximum.accumulate(np.maximum(done, ahead))
    begins = np.maximum(marks.starts, np.concatenate([[ahead], done[:-1]]))
    count = _whole_steps(pieces)
    return begins[:count], done[:count]


def _launching_steps(work: _Rows, marks: _Rows) -> Whole:
    """Return the step within whose mark each piece of work was launched, -1 for none."""
    of = np.searchsorted(marks.starts, work.launches, side="right") - 1
    found: Whole = np.where((of >= 0) & (work.returns <= marks.ends[of]), of, -1)
    return found


def _whole_steps(pieces: Whole) -> int:
    """Return how many steps the trace holds all the work of."""
    last = int(np.flatnonzero(pieces)[-1])
    cut = last > 0 and pieces[last - 1] * _WHOLE_STEP > pieces[last]
    return last if cut else last + 1
