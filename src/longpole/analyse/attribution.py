"""Attribution: what each phase used of a resource, and could have used, out of coarse samples.

Method: each sample's mass is poured into the pieces of time within it, in three passes: to exact demands, up
to what they ask for; to variable demands, by weight; what is left evenly, as background. A pass visits pieces
by how soon they are full: by descending demand over remaining room. It gives each its part of the mass by
demand, or its room if that is less. That has a closed form: pieces that are full come first, and one level,
the mass left over the demand left, holds for all others. So a pass is a sort and two running sums, for all
samples at once. In a piece, phases share by demand; their integrals over active time are sums of the pieces.

Source: section 2 of the execution model, after Grade10. Limits: what is given follows the rules, so a wrong
rule gives wrong use of the right sum; use that no phase caused, in the same sample as a variable demand, is
given to that demand while there is room; what samples show above the capacity is in no piece, and is told as
``unplaced``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, begins, column, over, sums
from longpole.analyse.observations import Observations, observations
from longpole.analyse.pieces import Activity, Asked, Overlay, Pieces, activity, asked, cut
from longpole.model.attribution import Attribution, Demands, Resource, Workload
from longpole.model.columns import Columns

# Less than this part of all is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """In each piece, what one unit of demand used and could have used: of an exact one, of a weight."""

    exact_used: Numbers
    exact_available: Numbers
    weight_used: Numbers
    weight_available: Numbers


def attribute(work: Workload, samples: Columns, resource: Resource, demands: Demands) -> Attribution:
    """Return what each phase used, and could have used, of one resource.

    Args:
        work: The phases, and what blocks them.
        samples: Columns ``start_ns``, ``end_ns`` and ``value``: mean rates of one owner, without overlap.
        resource: What was sampled, in the unit of the samples.
        demands: What each kind of phase asks for; a kind that is missing asks for nothing.

    Raises:
        AttributionError: Samples overlap or are below zero, or phases run backward.
    """
    observed = observations(samples, work.window)
    found, wanted = activity(work), asked(work, demands)
    pieces = cut(found.active, wanted, observed)
    used = upsample(pieces, observed, resource.capacity)
    background = _background(pieces, used)
    shares = shares_of(used, pieces.exact, pieces.weight, resource.capacity)
    return Attribution(
        resource=resource,
        demands=dict(demands),
        phases=_of_phases(work, found, wanted, pieces, shares),
        pieces=_of_pieces(pieces, used, background),
        observed=float(observed.mass.sum()),
        background=float((background * pieces.seconds).sum()),
        unplaced=_unplaced(pieces, used, observed),
    )


def upsample(pieces: Pieces, observed: Observations, capacity: float) -> Numbers:
    """Return the rate of use in each piece; none exceeds the capacity, and each sample keeps its mass.

    Args:
        pieces: Sampled time, cut where demands change.
        observed: The samples that the pieces are part of.
        capacity: The most that can be used at a time; infinity if it is not known.
    """
    left = observed.mass
    used = np.zeros(len(pieces.start))
    passes = (
        (pieces.exact, np.minimum(pieces.exact, capacity)),
        (pieces.weight, None),
        (np.ones(len(used)), None),
    )
    for demand, room in passes:
        given = _pour(left, demand, capacity - used if room is None else room, pieces)
        used = np.minimum(used + given, capacity)
        poured = sums(pieces.observation, given * pieces.seconds, len(left))
        left = np.maximum(left - poured, 0.0)
    return used


def shares_of(used: Numbers, exact: Numbers, weight: Numbers, capacity: float) -> Shares:
    """Return what one unit of each demand used and could have used, zero where there is no such demand."""
    beyond, room = np.maximum(used - exact, 0.0), np.maximum(capacity - exact, 0.0)
    return Shares(
        exact_used=np.minimum(over(used, exact), 1.0),
        exact_available=np.minimum(over(np.full(len(exact), capacity), exact), 1.0),
        weight_used=over(beyond, weight),
        weight_available=over(room, weight) if np.isfinite(capacity) else np.full(len(room), np.nan),
    )


def _pour(left: Numbers, demand: Numbers, room: Numbers, pieces: Pieces) -> Numbers:
    """Return the rate that each piece is given of the mass that is left of its sample."""
    given = np.zeros(len(demand))
    some = np.flatnonzero(demand > 0)
    order = some[np.lexsort((room[some] / demand[some], pieces.observation[some]))]
    wanted, space = demand[order], room[order]
    sample, length = pieces.observation[order], pieces.seconds[order]
    before = np.where(begins(sample), 0.0, np.append(0.0, (space * length)[:-1])[: len(space)])
    remaining = left[sample] - _running(before, sample)
    level = remaining / _running((wanted * length)[::-1], sample[::-1])[::-1]
    full = wanted * level >= space
    taken = sums(sample, np.where(full, space, 0.0) * length, len(left))
    unmet = sums(sample, np.where(full, 0.0, wanted) * length, len(left))
    common = over(np.maximum(left - taken, 0.0), unmet)
    given[order] = np.where(full, space, np.minimum(wanted * common[sample], space))
    return given


def _running(values: Numbers, groups: Whole) -> Numbers:
    """Return running sums within groups that lie together, by doubling: no group sees another's rounding.

    Examples:
        >>> _running(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0, 0, 0, 1])).tolist()
        [1.0, 3.0, 7.0, 8.0]
    """
    row = np.arange(len(values))
    place = row - np.maximum.accumulate(np.where(begins(groups), row, 0))
    found, step = values.copy(), 1
    longest = int(place.max(initial=0))
    while step <= longest:
        found[step:] += np.where(place[step:] >= step, found[:-step], 0.0)
        step *= 2
    return found


def _background(pieces: Pieces, used: Numbers) -> Numbers:
    """Return the rate that no phase is given: all beyond exact demands where nothing variable is active."""
    return np.where(pieces.weight > 0, 0.0, np.maximum(used - pieces.exact, 0.0))


def _unplaced(pieces: Pieces, used: Numbers, observed: Observations) -> float:
    masses = float(observed.mass.sum())
    left = masses - float((used * pieces.seconds).sum())
    return left if left > masses * _ROUNDING else 0.0


def _of_phases(work: Workload, found: Activity, wanted: Asked, pieces: Pieces, shares: Shares) -> Columns:
    summed = Overlay(pieces.start, pieces.end, found.active, found.phases).summed
    sampled = summed(np.ones(len(pieces.start)))
    known_room = bool(np.isfinite(shares.weight_available).all())
    weight_available = shares.weight_available if known_room else np.zeros(len(pieces.start))
    used = wanted.exact * summed(shares.exact_used) + wanted.weight * summed(shares.weight_used)
    available = wanted.exact * summed(shares.exact_available) + wanted.weight * summed(weight_available)
    seen = sampled > 0
    told = seen & (known_room | (wanted.weight == 0))
    return Columns(
        {
            "phase": work.phases["id"],
            "active_s": column(found.active.summed(found.phases)),
            "observed_s": column(sampled),
            "used": column(used),
            "available": column(available, told | ~seen),
            "used_rate": column(over(used, sampled), seen),
            "available_rate": column(over(available, sampled), told),
        }
    )


def _of_pieces(pieces: Pieces, used: Numbers, background: Numbers) -> Columns:
    return Columns(
        {
            "start_ns": column(pieces.start),
            "end_ns": column(pieces.end),
            "used": column(used),
            "exact": column(pieces.exact),
            "background": column(background),
            "weight": column(pieces.weight),
        }
    )
