"""What a comparison of groups of runs says: times of each group, differences, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# Of comparisons of equal things, one in fifty may be said to differ: one in a hundred to be slower.
CONFIDENCE = 0.98
# How probable it is that a difference is seen, where it is said how large one would have been seen.
POWER = 0.9


class Metric(StrEnum):
    """A time by which runs are compared."""

    END_TO_END = "end_to_end"
    COMPUTE = "compute"
    STAGE_IN = "stage_in"
    STAGE_OUT = "stage_out"
    CPU = "cpu"


class GateState(StrEnum):
    """What came of a gate."""

    OPEN = "open"
    CLOSED = "closed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run, as it enters a comparison.

    Attributes:
        run: Its id.
        group: The group that it belongs to.
        began_s: When it began, in seconds of UTC; None if nobody tells.
        seconds: Its times, as far as they are known.
        machine: The machine that it ran on.
        settings: What else it ran with; what differs between runs of a comparison is said.
        cached: How many tasks did not run, since what they make was there.
        retries: How many attempts there were beyond the first of each job.
    """

    run: str
    group: str
    began_s: float | None
    seconds: Mapping[Metric, float]
    machine: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    cached: int = 0
    retries: int = 0


@dataclass(frozen=True, slots=True)
class GroupTimes:
    """One time of the runs of a group.

    Attributes:
        group: Which group.
        runs: Their ids.
        seconds: The time of each.
        mean_s: Their mean.
        sd_s: Their standard deviation, that of a sample; None for a single one.
        median_s: Their median.
    """

    group: str
    runs: tuple[str, ...]
    seconds: tuple[float, ...]
    mean_s: float
    sd_s: float | None
    median_s: float

    @property
    def n(self) -> int:
        """How many runs there are."""
        return len(self.seconds)


@dataclass(frozen=True, slots=True)
class Difference:
    """How a time of one group differs from that of the baseline group.

    Attributes:
        group: The group that is compared with the baseline group.
        ratio: How many times as long its runs take; None where a time is zero.
        low: The interval of that ratio, its lower end; None where too few runs give none.
        high: The upper end.
        p: How often equal groups would differ so much by chance.
        p_corrected: The same, corrected for as many comparisons as were made.
        least_p: The smallest p that so many runs can give.
        needed_p: The largest p at which the strictest of the comparisons is shown.
        shown: Whether it is shown that the groups differ.
        seen: The ratio above 1 from which on a slow-down would have been seen with a probability of 0.9; None
            where nothing would have been.
        ratio_of_means: How many times as large the mean is; None where a mean is zero.
    """

    group: str
    ratio: float | None
    low: float | None
    high: float | None
    p: float
    p_corrected: float
    least_p: float
    needed_p: float
    shown: bool
    seen: float | None = None
    ratio_of_means: float | None = None

    @property
    def can_be_shown(self) -> bool:
        """Whether so many runs can show anything at all."""
        return self.shown or self.least_p <= self.needed_p


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One time, compared: what each group took, and how it differs from the baseline group.

    ``drift`` is by which share of itself the time went up or down while the runs were made, where that could
    be told and was taken out; None where it was not.
    """

    metric: Metric
    groups: tuple[GroupTimes, ...]
    differences: tuple[Difference, ...]
    drift: float | None = None

    def difference(self, group: str) -> Difference | None:
        """Return how a group differs from the baseline group, which differs in nothing from itself."""
        return next((one for one in self.differences if one.group == group), None)


@dataclass(frozen=True, slots=True)
class GatedGroup:
    """What a gate says of one group, and how many runs of each group would tell, where these do not."""

    group: str
    state: GateState
    runs_needed: int | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a group is slower than the baseline group by more than is allowed.

    Attributes:
        allowed: By which share of the baseline's time.
        state: Of all groups together: closed if one is shown to be slower by more, unknown if one may be.
        groups: Of each.
    """

    allowed: float
    state: GateState
    groups: tuple[GatedGroup, ...]


@dataclass(frozen=True, slots=True)
class LeftOutRun:
    """A run that was asked for and is not compared, and why."""

    run: str
    group: str
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Groups of runs, compared.

    Attributes:
        schema_version: Which form this has as JSON.
        title: What the runs are of.
        by: What makes the groups: placement, name, or a parameter.
        baseline: The group that the others are compared with.
        decided_by: The time that decides; the others tell where a difference comes from.
        confidence: Of intervals and of what is shown.
        interleaved: Whether the runs of all groups were made in turns.
        metrics: The times, that which decides first.
        gate: What a gate says, if one was asked for.
        doubts: What makes the comparison less sure than its numbers say: sentences.
        left_out: Runs that are not compared.
    """

    schema_version: int
    title: str
    by: str
    baseline: str
    decided_by: Metric
    confidence: float
    interleaved: bool
    metrics: tuple[MetricComparison, ...]
    gate: Gate | None = None
    doubts: tuple[str, ...] = ()
    left_out: tuple[LeftOutRun, ...] = ()

    @property
    def deciding(self) -> MetricComparison:
        """The time that decides."""
        return self.metrics[0]
