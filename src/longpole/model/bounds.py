"""What bounded phases, and how well the expensive resources were used, as ``longpole explain`` says it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class How(StrEnum):
    """How a resource held a phase: all of it was in use, all that the phase can use, or it blocked."""

    SATURATED = "saturated"
    OWN = "own"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Use:
    """What phases used of a resource while they ran.

    Attributes:
        resource: ``cores``, ``storage read``, ``disk`` and its name, ``GPU``, ``network received`` and so on.
        unit: Of the mean.
        mean: Mean over their sampled time. Of cores and storage it is the phase's own use; of all others
            anybody's, while the phase ran.
    """

    resource: str
    unit: str
    mean: float


@dataclass(frozen=True, slots=True)
class Held:
    """What held phases for a part of their time.

    Attributes:
        resource: ``cores``, ``disk`` and its name, ``GPU``, or what blocked them.
        how: How it held them.
        share: For which share of their time; where two held them at once, each has its part of it.
        amount: How much of the resource is all: cores of the host, or cores that the phases can use.
    """

    resource: str
    how: How
    share: float
    amount: float = 1.0


@dataclass(frozen=True, slots=True)
class Gain:
    """How much shorter the phases would be, by themselves, were a resource infinite; never the run's gain."""

    resource: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Bound:
    """What phases of one name and kind used, and what held them.

    Shares of ``held``, ``waiting_share`` and ``unseen_share`` add up to one, but for rounding.

    Attributes:
        what: Their name.
        kind: Their kind.
        count: How many there are.
        seconds: Their own time in all: without their parts in the same process.
        on_path_s: How much of that is on the critical path.
        uses: What they used.
        held: What held them, the longest first.
        gains: What they could gain by themselves, the most first.
        waiting_share: The share of their time in which they waited on nothing we see.
        unseen_share: The share of their time that no sample tells of.
    """

    what: str
    kind: str
    count: int
    seconds: float
    on_path_s: float
    uses: tuple[Use, ...]
    held: tuple[Held, ...]
    gains: tuple[Gain, ...]
    waiting_share: float
    unseen_share: float


@dataclass(frozen=True, slots=True)
class Utilisation:
    """How well one expensive resource was used, over the time in which it was sampled.

    Attributes:
        resource: ``cores`` or the name of a GPU.
        capacity: How much there is: cores, or 1 for a GPU.
        ours: Mean use by the run; of a GPU by anybody, where the driver does not tell processes apart.
        others: Mean use by others; None where it is not known.
        contended_share: Share of the time in which others took some of what the run wanted; None if unknown.
        data_wait_share: Share of a GPU's idle time in which a process that uses it waited for data; None
            where nobody marked such waits.
    """

    resource: str
    capacity: float
    ours: float
    others: float | None = None
    contended_share: float | None = None
    data_wait_share: float | None = None


@dataclass(frozen=True, slots=True)
class Bounded:
    """Both of these, and what could not be said."""

    bounds: tuple[Bound, ...] = ()
    utilisation: tuple[Utilisation, ...] = ()
    limits: tuple[str, ...] = ()
