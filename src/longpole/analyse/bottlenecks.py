"""Bottlenecks: what each phase waited on, piece by piece, and what it alone could gain.

Method: in a piece of time a phase that asks for a resource is held by it globally if all together use 0.95 of
its capacity, else locally if the phase uses 0.95 of what is available to it. Where a blocking resource holds
it, it is blocked. Otherwise the time is overhead: it waits on nothing we see. How hard a phase uses a
resource, f, is its use over what is available to it; where nothing is, all use over the capacity; and f = 1
while a blocking resource holds it. Were g infinite, a piece would shrink by min(f_g, 1 - the largest f of the
others); the sum over all pieces is the gain. All this depends on the piece and on the phase's rules, not on
the phase: each set of rules is worked out once for all pieces, and then integrated over every phase.

Source: section 3 of the execution model, after Grade10. Limits: a gain is of the phase alone and never of the
run, which may wait on another branch: only a replay tells that. A resource counts as not used where it was
not sampled, which makes gains of the others too large; ``unsampled_s`` tells how long nothing was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import (
    Marks,
    Numbers,
    Whole,
    begins,
    column,
    distinct,
    known,
    numbers,
    over,
    whole,
    words,
)
from longpole.analyse.attribution import shares_of
from longpole.analyse.blocked import Blocked, blocked_time
from longpole.analyse.pieces import Overlay, activity
from longpole.model.attribution import NO_DEMAND, SATURATED, Attribution, Bottlenecks, Rule, Workload
from longpole.model.columns import Columns

# What rounding may take off a share that is as large as it can be.
_ROUNDING = 1e-9
_LIMIT = SATURATED - _ROUNDING
_Rules = tuple[Rule, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """One resource over cuts of time: sampled or not, saturated or not, and how hard it is used by rule."""

    seen: Marks
    saturated: Marks
    used: dict[Rule, Numbers]
    local: dict[Rule, Marks]


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Seconds for pairs of a phase's row and a resource's number."""

    row: Whole
    resource: Whole
    saturated: Numbers
    local: Numbers
    blocked: Numbers
    gain: Numbers

    @property
    def seconds(self) -> Numbers:
        """How long the resource held the phase."""
        return self.saturated + self.local + self.blocked


def bottlenecks(work: Workload, attributions: Sequence[Attribution]) -> Bottlenecks:
    """Return what held each phase, and for how long.

    Args:
        work: The phases, and what blocks them.
        attributions: The use of each consumable resource, as attributed to the phases of this workload.
    """
    found = activity(work)
    start, end = _cuts(attributions)
    states = [_state(one, start) for one in attributions]
    sets, chosen = _rules(work, attributions)
    blocked = blocked_time(work, found)
    parts, overhead, seen = [_blocked(blocked, len(states))], np.zeros(found.phases), np.zeros(found.phases)
    for number, rules in enumerate(sets):
        mine = found.active.chosen((chosen == number)[found.active.row])
        overlay = Overlay(start, end, mine, found.phases)
        parts += _held(rules, states, overlay, np.flatnonzero(chosen == number))
        for_nothing, looked_at = _unheld(rules, states, overlay)
        overhead, seen = overhead + for_nothing, seen + looked_at
    held = _joined(parts)
    names = (*(one.resource.name for one in attributions), *blocked.names)
    active_s = found.active.summed(found.phases)
    phases = {
        "phase": work.phases["id"],
        "bound_by": words(_longest(held, found.phases), names),
        "active_s": column(active_s),
        "blocked_s": column(blocked.blocked_s),
        "overhead_s": column(overhead),
        "unsampled_s": column(np.maximum(active_s - seen, 0.0)),
    }
    return Bottlenecks(Columns(phases), _table(work, held, names))


def _cuts(attributions: Sequence[Attribution]) -> tuple[Whole, Whole]:
    """Return begin and end of each piece of time in which no resource changes."""
    edges = [whole(one.pieces[name]) for one in attributions for name in ("start_ns", "end_ns")]
    moments = distinct(np.concatenate(edges)) if edges else np.zeros(0, np.int64)
    return moments[:-1], moments[1:]


def _state(one: Attribution, moments: Whole) -> _State:
    """Return how a resource stands in the cuts that begin at these moments."""
    pieces, capacity = one.pieces, one.resource.capacity
    place = np.searchsorted(whole(pieces["start_ns"]), moments, "right")
    seen = moments < np.append(np.iinfo(np.int64).min, whole(pieces["end_ns"]))[place]
    used, exact, weight = (
        np.where(seen, np.append(0.0, numbers(pieces[name]))[place], 0.0)
        for name in ("used", "exact", "weight")
    )
    shares = shares_of(used, exact, weight, capacity)
    room = capacity - exact > capacity * _ROUNDING if np.isfinite(capacity) else np.zeros(len(used), np.bool_)
    by_exact = over(shares.exact_used, shares.exact_available)
    by_weight = np.where(room, over(shares.weight_used, np.where(room, shares.weight_available, 0.0)), 0.0)
    return _State(
        seen=seen,
        saturated=seen & (used >= _LIMIT * capacity),
        used={Rule.EXACT: by_exact, Rule.VARIABLE: np.where(room, by_weight, used / capacity)},
        local={Rule.EXACT: by_exact >= _LIMIT, Rule.VARIABLE: room & (by_weight >= _LIMIT)},
    )


def _rules(work: Workload, attributions: Sequence[Attribution]) -> tuple[list[_Rules], Whole]:
    """Return the sets of rules that there are, one rule for each resource, and which one each phase has."""
    kinds = work.phases["kind"]
    of_kinds = [_rules_of(word, attributions) for word in (*(kinds.words or ()), None)]
    sets = list(dict.fromkeys(of_kinds))
    numbered = np.array([sets.index(rules) for rules in of_kinds])
    return sets, numbered[np.where(known(kinds), whole(kinds), len(of_kinds) - 1)]


def _rules_of(kind: str | None, attributions: Sequence[Attribution]) -> _Rules:
    demands = (NO_DEMAND if kind is None else one.demands.get(kind, NO_DEMAND) for one in attributions)
    return tuple(demand.rule if demand.wanted else Rule.NONE for demand in demands)


def _held(rules: _Rules, states: Sequence[_State], overlay: Overlay, phases: Whole) -> Iterable[_Held]:
    """Yield, for each resource that these phases ask for, how long it held them and what it could gain."""
    asked = [(number, rule) for number, rule in enumerate(rules) if rule is not Rule.NONE]
    gains = _gains([states[number].used[rule] for number, rule in asked])
    for (number, rule), gain in zip(asked, gains, strict=True):
        state = states[number]
        local = state.seen & state.local[rule] & ~state.saturated
        saturated_s, local_s, gain_s = (
            overlay.summed(what)[phases] for what in (state.saturated, local, gain)
        )
        none = np.zeros(len(phases))
        yield _Held(phases, np.full(len(phases), number), saturated_s, local_s, none, gain_s)


def _gains(used: list[Numbers]) -> list[Numbers]:
    """Return min(f, 1 - the largest f of the others) for each resource, piece by piece."""
    if len(used) < 2:
        return used
    every = np.array(used)
    first, second = np.sort(every, axis=0)[[-1, -2]]
    largest = np.argmax(every, axis=0)
    return [
        np.maximum(np.minimum(one, 1.0 - np.where(largest == number, second, first)), 0.0)
        for number, one in enumerate(every)
    ]


def _unheld(rules: _Rules, states: Sequence[_State], overlay: Overlay) -> tuple[Numbers, Numbers]:
    """Return the seconds of each phase in which nothing held it, and those in which that could be seen."""
    asked = [(states[number], rule) for number, rule in enumerate(rules) if rule is not Rule.NONE]
    if not asked:
        active = overlay.intervals.summed(overlay.rows)
        return active, active
    seen = np.logical_or.reduce([state.seen for state, _ in asked])
    held = np.logical_or.reduce([state.seen & (state.saturated | state.local[rule]) for state, rule in asked])
    return overlay.summed(seen & ~held), overlay.summed(seen)


def _blocked(blocked: Blocked, first: int) -> _Held:
    """Return blocked time; blocking resources are numbered from ``first`` on."""
    none = np.zeros(len(blocked.row))
    return _Held(blocked.row, blocked.resource + first, none, none, blocked.held_s, blocked.alone_s)


def _joined(parts: Sequence[_Held]) -> _Held:
    """Return all pairs, by phase and resource."""
    row, resource = (np.concatenate([getattr(part, name) for part in parts]) for name in ("row", "resource"))
    order = np.lexsort((resource, row))
    saturated, local, blocked, gain = (
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("saturated", "local", "blocked", "gain")
    )
    return _Held(row[order], resource[order], saturated, local, blocked, gain)


def _longest(held: _Held, phases: int) -> Whole:
    """Return the resource that held each phase longest, by gain where two did; below zero if none did."""
    order = np.lexsort((held.gain, held.seconds, held.row))
    row = held.row[order]
    last = order[np.append(begins(row)[1:], True)] if len(row) else order
    found = np.full(phases, -1, np.int64)
    found[held.row[last]] = np.where(held.seconds[last] > 0, held.resource[last], -1)
    return found


def _table(work: Workload, held: _Held, names: Sequence[str]) -> Columns:
    return Columns(
        {
            "phase": column(whole(work.phases["id"])[held.row]),
            "resource": words(held.resource, names),
            "saturated_s": column(held.saturated),
            "locally_saturated_s": column(held.local),
            "blocked_s": column(held.blocked),
            "gain_s": column(held.gain),
        }
    )
