"""Weights of variable demands, learned from the samples themselves.

Method: non-negative least squares. A row is a sample: its mean rate less what exact demands take, against the
mean number of active phases of each kind within it; rows weigh by their length. The solution is each kind's
mean rate while active. Samples in which no such kind was active tell nothing and are left out. The rows are
first condensed by QR, block by block, so a hundred thousand samples cost little memory.

Kinds that always go together, or that too few samples hold, cannot be told apart. The direction in which the
rows say least (the last singular vector, columns scaled to one length) is looked at: if they say nothing of
it, or if its standard error exceeds half of the typical size of a kind's part, the kinds that make it up are
taken as one and share a weight. This is repeated until all that is left can be told apart.

Source: section 2 of the execution model; Lawson and Hanson, 1974, for the solver. Limits: use that no phase
explains is laid on the kinds that run beside it; a kind whose rate changes over the run gets its mean; errors
are those of ordinary least squares, and too large where a weight is held at zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from longpole.analyse.arrays import Numbers, known, over, seconds, whole
from longpole.analyse.intervals import Intervals
from longpole.analyse.levels import Integral, level
from longpole.analyse.observations import Observations, observations
from longpole.analyse.pieces import activity
from longpole.model.attribution import (
    NO_DEMAND,
    Demand,
    Demands,
    KindWeight,
    LearnedWeights,
    Rule,
    Workload,
)
from longpole.model.columns import Columns

# Below this part of what the rows say of one kind alone, they say nothing of a direction.
_NOTHING = 1e-6
# The largest standard error of a difference between kinds, as a part of the typical size of one.
_TOLD_APART = 0.5
# Kinds with at least this part of the largest component make up a direction.
_MAKES_UP = 0.5
_BLOCK_CELLS = 2_000_000
_NO_RULES: Mapping[str, Demand] = {}


def learn_weights(work: Workload, samples: Columns, demands: Demands = _NO_RULES) -> LearnedWeights:
    """Return a weight for each kind of phase that has no rule yet, or a variable one.

    Args:
        work: The phases, and what blocks them.
        samples: Columns ``start_ns``, ``end_ns`` and ``value``: mean rates of one owner, without overlap.
        demands: Rules that are known: exact use is taken off first, kinds of rule ``none`` are left out.
    """
    observed = observations(samples, work.window)
    active = _active_by_kind(work)
    wanted = [kind for kind in active if demands.get(kind, Demand.variable()).rule is Rule.VARIABLE]
    times = {kind: float(active[kind].over(observed.start, observed.end).sum()) for kind in wanted}
    kinds = [kind for kind in wanted if times[kind] > 0]
    exact = _exact_mass(active, demands, observed)
    rows = _condensed([active[kind] for kind in kinds], observed, exact)
    fit = _told_apart(rows, len(kinds))
    return LearnedWeights(
        kinds=tuple(_weight(kind, times[kind], kinds, fit) for kind in wanted),
        alike=tuple(tuple(kinds[at] for at in group) for group in fit.groups if len(group) > 1),
        samples=rows.samples,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The condensed rows: of kinds, then of what is to be explained; and how many samples they hold."""

    kinds: Numbers
    target: Numbers
    samples: int


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Groups of kinds, with the weight and the error of each."""

    groups: tuple[tuple[int, ...], ...]
    weights: Numbers
    errors: Numbers


def _active_by_kind(work: Workload) -> dict[str, Integral]:
    """Return the active time of all phases of each kind, as an integral of their number."""
    kinds, active = work.phases["kind"], activity(work).active
    place = np.where(known(kinds), whole(kinds), -1)[active.row]
    order = np.argsort(place, kind="stable")
    edges = np.searchsorted(place[order], np.arange(len(kinds.words or ()) + 1))
    found = {}
    for at, word in enumerate(kinds.words or ()):
        some = order[edges[at] : edges[at + 1]]
        if len(some):
            found[word] = _number_of(Intervals(active.row[some], active.start[some], active.end[some]))
    return found


def _number_of(active: Intervals) -> Integral:
    return level(active.start, active.end, np.ones(len(active))).integral()


def _exact_mass(active: Mapping[str, Integral], demands: Demands, observed: Observations) -> Numbers:
    mass = np.zeros(len(observed))
    for kind, times in active.items():
        rule = demands.get(kind, NO_DEMAND)
        if rule.rule is Rule.EXACT:
            mass += rule.amount * times.over(observed.start, observed.end)
    return mass


def _condensed(active: list[Integral], observed: Observations, exact: Numbers) -> _Rows:
    """Return rows of the same least squares as all samples make, but no more of them than kinds and one."""
    width = len(active) + 1
    rows, samples = np.zeros((0, width)), 0
    step = max(1, _BLOCK_CELLS // width)
    length = seconds(observed.start, observed.end)
    beyond = np.maximum(observed.mass - exact, 0.0)
    for first in range(0, len(observed), step):
        part = slice(first, first + step)
        start, end = observed.start[part], observed.end[part]
        block = np.column_stack([*(times.over(start, end) for times in active), beyond[part]])
        some = (block[:, :-1] > 0).any(axis=1)
        samples += int(some.sum())
        block = block[some] / np.sqrt(length[part][some])[:, None]
        if len(block):
            rows = np.asarray(np.linalg.qr(np.vstack((rows, block)), mode="r"))
    return _Rows(rows[:, :-1], rows[:, -1], samples)


def _told_apart(rows: _Rows, kinds: int) -> _Fit:
    """Return the fit of the most groups of kinds that can be told apart."""
    groups: list[tuple[int, ...]] = [(at,) for at in range(kinds)]
    while True:
        merged = _merged(rows.kinds, groups)
        parts, noise = _solved(merged, rows)
        joined = _same(merged, parts, noise)
        if not joined.any():
            break
        one = tuple(sorted(at for group, same in zip(groups, joined, strict=True) if same for at in group))
        groups = [*(group for group, same in zip(groups, joined, strict=True) if not same), one]
    errors = np.full(len(groups), np.nan) if np.isnan(noise) else noise * _spread(merged)
    return _Fit(tuple(groups), over(parts, _lengths(merged)), errors)


def _merged(columns: Numbers, groups: list[tuple[int, ...]]) -> Numbers:
    """Return a column for each group: the sum of its kinds'."""
    if not groups:
        return np.zeros((len(columns), 0))
    return np.column_stack([columns[:, list(group)].sum(axis=1) for group in groups])


def _solved(merged: Numbers, rows: _Rows) -> tuple[Numbers, float]:
    """Return each group's part, its weight times the length of its column, and the scatter of a sample."""
    if not merged.size:
        return np.zeros(merged.shape[1]), float("nan")
    parts, rest = nnls(_scaled(merged), rows.target, maxiter=30 * merged.shape[1] + 100)
    spare = rows.samples - merged.shape[1]
    return parts, float(rest) / spare**0.5 if spare > 0 else float("nan")


def _scaled(merged: Numbers) -> Numbers:
    """Return the columns, each scaled to a length of one."""
    return merged / _lengths(merged)


def _lengths(columns: Numbers) -> Numbers:
    return np.asarray(np.linalg.norm(columns, axis=0), np.float64)


def _same(merged: Numbers, parts: Numbers, noise: float) -> NDArray[np.bool_]:
    """Return which groups cannot be told apart from each other: two at least, or none."""
    none = np.zeros(len(parts), np.bool_)
    if len(parts) < 2:
        return none
    _, sizes, directions = np.linalg.svd(_scaled(merged))
    size = float(sizes[-1]) if len(sizes) == len(parts) else 0.0
    typical = float(np.sqrt((parts**2).mean()))
    if size > _NOTHING and not noise > _TOLD_APART * typical * size:
        return none
    component = np.abs(directions[-1])
    least = _MAKES_UP * component.max()
    if size <= _NOTHING:
        least = min(least, float(np.partition(component, -2)[-2]))
    made_up = component >= least
    return made_up if made_up.sum() > 1 else none


def _spread(merged: Numbers) -> Numbers:
    """Return the standard error of each weight for a scatter of one."""
    return _lengths(np.asarray(np.linalg.pinv(merged).T, np.float64))


def _weight(kind: str, active_s: float, kinds: list[str], fit: _Fit) -> KindWeight:
    if kind not in kinds:
        return KindWeight(kind, None, None, active_s)
    at = next(place for place, group in enumerate(fit.groups) if kinds.index(kind) in group)
    error = float(fit.errors[at])
    return KindWeight(kind, float(fit.weights[at]), None if np.isnan(error) else error, active_s)
