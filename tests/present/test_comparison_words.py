from __future__ import annotations

from dataclasses import replace

from longpole.model.comparison import (
    Difference,
    Gate,
    GatedGroup,
    GateState,
    GroupTimes,
    Metric,
    MetricComparison,
)
from longpole.present.comparison_words import gate_sentence, interval, parts, sentences, signed, verdict
from tests.present.comparisons import ALONE, COMMANDS, FEW

ONE = Difference(
    "after", 1.1, 1.05, 1.2, p=0.001, p_corrected=0.002, least_p=1e-5, needed_p=0.02, shown=True, seen=1.08
)


def compared(*differences: Difference, metric: Metric = Metric.END_TO_END) -> MetricComparison:
    groups = [GroupTimes(name, ("r",) * 10, (1.0,) * 10, mean, 0.1, mean) for name, mean in _MEANS.items()]
    return MetricComparison(metric, tuple(groups), differences)


_MEANS = {"before": 2.0, "after": 2.2, "later": 0.0}


def test_a_difference_that_is_shown_is_told_with_its_interval_and_p() -> None:
    assert verdict(compared(ONE), ONE) == (
        "'after' takes 10.0 % more time end to end than 'before' (5.0 to 20.0 % more, p = 0.002)."
    )
    faster = replace(ONE, ratio=0.8, low=0.75, high=0.9, p_corrected=1e-7)
    assert verdict(compared(faster), faster) == (
        "'after' takes 20.0 % less time end to end than 'before' (10.0 to 25.0 % less, p < 0.0001)."
    )


def test_a_difference_that_is_not_shown_is_told_with_what_would_have_been_seen() -> None:
    unsure = replace(ONE, ratio=1.01, low=0.97, high=1.05, shown=False)

    assert verdict(compared(unsure), unsure) == (
        "No difference is shown between 'after' and 'before' end to end: it is between 3.0 % less and "
        "5.0 % more. One of more than 8.0 % would have been seen with 90 % probability."
    )


def test_many_times_as_long_is_told_as_times() -> None:
    slow = replace(ONE, ratio=4.0, low=3.5, high=4.5)

    assert "takes 4.0 times as much time of computing" in verdict(compared(slow, metric=Metric.COMPUTE), slow)
    assert "(3.50 to 4.50 times" in verdict(compared(slow), slow)
    assert (signed(25.0), interval(replace(ONE, low=20.0, high=30.0))) == ("x 25", "x 20 to 30")


def test_a_time_of_zero_is_told_in_seconds() -> None:
    gone = replace(ONE, group="later", ratio=None, low=None, high=None)

    told = verdict(compared(gone, metric=Metric.STAGE_IN), gone)

    assert told == "'later' and 'before' differ in their time of staging in: 0 s against 2.00 s (p = 0.002)."
    assert parts(compared(gone, metric=Metric.STAGE_IN)) == "Stage in: 'later' 0 s instead of 2.00 s."


def test_other_times_are_told_in_short() -> None:
    other = replace(ONE, group="later", shown=False)

    assert parts(compared(ONE, other, metric=Metric.CPU)) == (
        "CPU time: 'after' 10.0 % more; no difference shown for 1 other."
    )
    assert parts(compared(other)) == "End to end: no difference shown."


def test_too_few_runs_are_told_once_with_how_many_are_needed() -> None:
    (said,) = sentences(FEW)

    assert said == (
        "Nothing can be shown: 2 and 2 runs give no p below 0.33, and 0.02 is needed. "
        "Make at least 5 of each."
    )


def test_one_group_has_nothing_to_be_compared_with() -> None:
    assert sentences(ALONE) == ["There is one group, 'only': nothing to compare it with."]


def test_a_gate_is_told_as_it_stands() -> None:
    unknown = GatedGroup("after", GateState.UNKNOWN, 40)
    closed = [GatedGroup(name, GateState.CLOSED) for name in ("after", "later")]

    told = {
        state: gate_sentence(Gate(0.05, state, tuple(groups)), compared(ONE))
        for state, groups in (
            (GateState.OPEN, ()),
            (GateState.CLOSED, closed),
            (GateState.UNKNOWN, (unknown,)),
        )
    }

    assert told[GateState.OPEN] == "The gate is open: no group is slower than 'before' by more than 5 %."
    assert told[GateState.CLOSED] == "The gate is closed: 'after' and 'later' are slower by more than 5 %."
    assert told[GateState.UNKNOWN] == (
        "The gate cannot tell whether 'after' is slower by more than 5 %; about 40 runs of each group would."
    )


def test_names_that_a_terminal_would_obey_are_spelt_out() -> None:
    evil = replace(COMMANDS.deciding.differences[0], group="a\x1b[2J")
    groups = (COMMANDS.deciding.groups[0], replace(COMMANDS.deciding.groups[1], group="a\x1b[2J"))

    told = verdict(replace(COMMANDS.deciding, groups=groups, differences=(evil,)), evil)

    assert "\x1b" not in told
