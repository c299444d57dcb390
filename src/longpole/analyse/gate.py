"""A gate: whether a group is slower than the baseline group by more than is allowed.

Method: by the interval of the ratio. If all of it is above what is allowed, the group is shown to be slower
by more: closed. If all of it is below, it is shown not to be: open. If what is allowed lies within the
interval, or there is none, these runs cannot tell: unknown; so is a group of which no run is left. How many
would tell is reckoned from what these would have shown, if the ratio is what it looks like.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from longpole.analyse.detectable import runs_needed
from longpole.model.comparison import Difference, Gate, GatedGroup, GateState, MetricComparison


def gate_of(compared: MetricComparison, allowed: float, lost: Sequence[str] = ()) -> Gate:
    """Return what a gate says of all groups.

    Args:
        compared: The time that decides, compared.
        allowed: By which share of the baseline's time a group may be slower.
        lost: Groups of which no run can be compared.
    """
    sizes = {times.group: times.n for times in compared.groups}
    base = compared.groups[0].n
    groups = (
        *(_gated(one, allowed, (base, sizes[one.group])) for one in compared.differences),
        *(GatedGroup(group, GateState.UNKNOWN) for group in lost),
    )
    states = {one.state for one in groups}
    worst = next((one for one in (GateState.CLOSED, GateState.UNKNOWN) if one in states), GateState.OPEN)
    return Gate(allowed, worst if groups else GateState.UNKNOWN, groups)


def _gated(one: Difference, allowed: float, sizes: tuple[int, int]) -> GatedGroup:
    if one.low is None or one.high is None:
        return GatedGroup(one.group, GateState.UNKNOWN)
    if one.low > 1 + allowed:
        return GatedGroup(one.group, GateState.CLOSED)
    if one.high < 1 + allowed:
        return GatedGroup(one.group, GateState.OPEN)
    return GatedGroup(one.group, GateState.UNKNOWN, _needed(one, allowed, sizes))


def _needed(one: Difference, allowed: float, sizes: tuple[int, int]) -> int | None:
    if one.seen is None or one.ratio is None:
        return None
    away = abs(math.log(one.ratio) - math.log1p(allowed))
    return runs_needed(math.log(one.seen), away, sizes)
