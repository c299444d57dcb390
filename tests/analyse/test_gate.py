from __future__ import annotations

from dataclasses import replace

import pytest

from longpole.analyse.gate import gate_of
from longpole.model.comparison import Difference, GateState, GroupTimes, Metric, MetricComparison

ONE = Difference(
    "b", 1.0, 0.99, 1.01, p=0.5, p_corrected=0.5, least_p=0.0, needed_p=0.02, shown=False, seen=1.02
)


def compared(*differences: Difference) -> MetricComparison:
    groups = [GroupTimes(name, ("r",) * 10, (1.0,) * 10, 1.0, 0.1, 1.0) for name in "abcd"]
    return MetricComparison(Metric.END_TO_END, tuple(groups), differences)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [
        (0.97, 1.02, GateState.OPEN),
        (1.02, 1.04, GateState.OPEN),
        (0.5, 0.6, GateState.OPEN),
        (1.06, 1.2, GateState.CLOSED),
        (0.97, 1.08, GateState.UNKNOWN),
        (1.02, 1.08, GateState.UNKNOWN),
    ],
)
def test_the_interval_decides_about_a_gate_of_five_percent(low: float, high: float, state: GateState) -> None:
    one = replace(ONE, ratio=(low + high) / 2, low=low, high=high)

    assert gate_of(compared(one), 0.05).state is state


def test_runs_too_few_for_an_interval_cannot_tell() -> None:
    assert gate_of(compared(replace(ONE, low=None, high=None)), 0.05).state is GateState.UNKNOWN
    assert gate_of(compared(), 0.05).state is GateState.UNKNOWN


def test_one_closed_group_closes_the_gate_and_one_unknown_leaves_it_unknown() -> None:
    slow = replace(ONE, group="c", ratio=1.15, low=1.1, high=1.2)
    unsure = replace(ONE, group="d", ratio=1.02, low=0.95, high=1.1)

    assert gate_of(compared(ONE, slow, unsure), 0.05).state is GateState.CLOSED
    assert gate_of(compared(ONE, unsure), 0.05).state is GateState.UNKNOWN
    assert gate_of(compared(ONE), 0.05).state is GateState.OPEN


def test_a_group_of_which_no_run_is_left_leaves_the_gate_unknown() -> None:
    found = gate_of(compared(ONE), 0.05, ["lost"])

    assert found.state is GateState.UNKNOWN
    assert [(one.group, one.state) for one in found.groups if one.group == "lost"] == [
        ("lost", GateState.UNKNOWN)
    ]


def test_it_tells_how_many_runs_would_do() -> None:
    """These see 8 %, and 3 % from the gate is to be told: (8 / 3) squared times ten."""
    unsure = replace(ONE, ratio=1.02, low=0.95, high=1.1, seen=1.08)

    needed = gate_of(compared(unsure), 0.05).groups[0].runs_needed

    assert needed is not None
    assert 65 < needed < 75
