"""Attribution: what phases may ask of resources, what they got, and what held them.

Times are nanoseconds. A rate is in the resource's unit (cores, bytes a second); a mass is a rate times
seconds (core-seconds, bytes). Tables of phases and of pieces of time run to hundreds of thousands of rows, so
they are ``Columns``; each class says which columns it has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from longpole.errors import LongpoleError
from longpole.model.columns import Columns, integers, texts
from longpole.units import Nanoseconds

# A resource counts as saturated from this share of what there is.
SATURATED = 0.95

_PHASES = frozenset(("id", "kind", "start_ns", "end_ns"))
_BLOCKING = frozenset(("phase", "resource", "start_ns", "end_ns"))


def _never_blocked() -> Columns:
    return Columns(
        {"phase": integers([]), "resource": texts([]), "start_ns": integers([]), "end_ns": integers([])}
    )


class AttributionError(LongpoleError):
    """Phases, samples or rules that cannot be joined."""


class Rule(StrEnum):
    """How a phase asks for a resource."""

    NONE = "none"
    EXACT = "exact"
    VARIABLE = "variable"


@dataclass(frozen=True, slots=True)
class Demand:
    """What each active phase of one kind asks of one resource.

    Attributes:
        rule: None: nothing. Exact: ``amount`` units, whenever it is active. Variable: a share of what is
            left, by ``amount`` as its weight.
        amount: Units of the resource, or a weight; zero asks for nothing.

    Examples:
        >>> Demand.exact(1.0).wanted, Demand.variable(0.0).wanted
        (True, False)
    """

    rule: Rule = Rule.NONE
    amount: float = 0.0

    def __post_init__(self) -> None:
        """Check that the amount is one, and that nothing asks for nothing."""
        if not (math.isfinite(self.amount) and self.amount >= 0):
            raise AttributionError(f"A demand is zero or more, not {self.amount}.")
        if self.rule is Rule.NONE and self.amount:
            raise AttributionError(f"A demand of rule 'none' cannot ask for {self.amount}.")

    @classmethod
    def exact(cls, amount: float) -> Demand:
        """Return a demand for so many units."""
        return cls(Rule.EXACT, amount)

    @classmethod
    def variable(cls, weight: float = 1.0) -> Demand:
        """Return a demand for a share of what is left."""
        return cls(Rule.VARIABLE, weight)

    @property
    def wanted(self) -> bool:
        """Whether anything is asked for."""
        return self.amount > 0


NO_DEMAND = Demand()
# What each kind of phase asks of one resource; a kind that is missing asks for nothing.
Demands = Mapping[str, Demand]


@dataclass(frozen=True, slots=True)
class Resource:
    """A consumable resource; a capacity of infinity is one that is not known."""

    name: str
    unit: str
    capacity: float = math.inf

    def __post_init__(self) -> None:
        """Check that there is something to use."""
        if not self.capacity > 0:
            raise AttributionError(
                f"Resource '{self.name}' needs a capacity above zero, not {self.capacity}."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """The phases whose use is asked for.

    Attributes:
        phases: ``id``, ``kind`` (what demands are told by), ``start_ns`` and ``end_ns``; leaf phases, since
            a phase and its parent would both be given the same use.
        blocking: ``phase`` (its id), ``resource`` (a lock, a full queue, garbage collection), ``start_ns``
            and ``end_ns``: when a blocking resource held a phase. Intervals may overlap.
        window: Begin and end of the time that is looked at; nothing for all of it.
    """

    phases: Columns
    blocking: Columns = field(default_factory=_never_blocked)
    window: tuple[Nanoseconds, Nanoseconds] | None = None

    def __post_init__(self) -> None:
        """Check that the columns are there."""
        for what, columns, needed in (
            ("phases", self.phases, _PHASES),
            ("blocking", self.blocking, _BLOCKING),
        ):
            if missing := sorted(needed - set(columns)):
                raise AttributionError(f"The table of {what} lacks the columns {', '.join(missing)}.")
        if self.window is not None and self.window[0] > self.window[1]:
            raise AttributionError(f"The window ends before it begins: {self.window}.")


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """One resource's use, given to phases.

    Attributes:
        resource: The resource.
        demands: The rules that were followed.
        phases: One row for each phase of the workload, in its order: ``phase``, ``active_s`` (not blocked),
            ``observed_s`` (of that, sampled), and over the latter the masses ``used`` and ``available`` and
            the mean rates ``used_rate`` and ``available_rate``. Rates of a phase that was never sampled
            are not known, nor is what is available of an unknown capacity to a variable demand.
        pieces: Sampled time, cut where a demand or a sample begins or ends: ``start_ns``, ``end_ns``, and as
            rates ``used`` (by all), ``exact`` (demanded), ``background`` (given to no phase), and ``weight``.
        observed: The mass of all samples within the window.
        background: The part of it that no phase was given.
        unplaced: The part of it that exceeds the capacity, and so is in no piece.
    """

    resource: Resource
    demands: Demands
    phases: Columns
    pieces: Columns
    observed: float
    background: float
    unplaced: float


@dataclass(frozen=True, slots=True)
class KindWeight:
    """The weight that was learned for one kind: its mean rate while active, in the resource's unit.

    ``weight`` is None for a kind that was never sampled; ``error`` is its standard error, None where too few
    samples tell; ``active_s`` is the sampled time of all phases of the kind together.
    """

    kind: str
    weight: float | None
    error: float | None
    active_s: float


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights by kind; kinds of one group in ``alike`` could not be told apart, and share one weight."""

    kinds: tuple[KindWeight, ...]
    alike: tuple[tuple[str, ...], ...]
    samples: int

    @property
    def demands(self) -> dict[str, Demand]:
        """What was learned, as rules."""
        return {one.kind: Demand.variable(one.weight) for one in self.kinds if one.weight is not None}


@dataclass(frozen=True, slots=True, eq=False)
class Bottlenecks:
    """What held each phase, and for how long.

    Attributes:
        phases: One row for each phase of the workload, in its order: ``phase``, ``bound_by`` (the resource
            that held it longest, not known if none did), ``active_s``, ``blocked_s``, ``overhead_s`` (active
            and waiting on nothing we see), ``unsampled_s`` (active, and nothing it asks for was sampled).
        resources: One row for each phase and resource that it asks for, or that blocked it: ``phase``,
            ``resource``, ``saturated_s``, ``locally_saturated_s`` (and not globally), ``blocked_s``, and
            ``gain_s``, the most that the phase alone could gain were the resource infinite.
    """

    phases: Columns
    resources: Columns
