"""What phases may ask for, checked on construction."""

from __future__ import annotations

import math

import pytest

from longpole.model.attribution import (
    NO_DEMAND,
    AttributionError,
    Demand,
    KindWeight,
    LearnedWeights,
    Resource,
    Rule,
    Workload,
)
from longpole.model.columns import Columns, integers


def test_demands_say_by_which_rule():
    assert (Demand.exact(2).rule, Demand.variable().rule, NO_DEMAND.rule) == (
        Rule.EXACT,
        Rule.VARIABLE,
        Rule.NONE,
    )
    assert Demand.variable().amount == 1.0
    assert not NO_DEMAND.wanted


@pytest.mark.parametrize("amount", [-1.0, math.nan, math.inf])
def test_a_demand_is_a_number_above_zero(amount):
    with pytest.raises(AttributionError, match="zero or more"):
        Demand.exact(amount)


def test_nothing_cannot_be_asked_for_in_some_amount():
    with pytest.raises(AttributionError, match="none"):
        Demand(Rule.NONE, 1.0)


@pytest.mark.parametrize("capacity", [0.0, -2.0, math.nan])
def test_a_resource_has_something_to_give(capacity):
    with pytest.raises(AttributionError, match="'cpu'"):
        Resource("cpu", "cores", capacity)


def test_an_unknown_capacity_is_infinite():
    assert Resource("disk", "bytes/s").capacity == math.inf


def test_a_workload_says_which_columns_it_lacks():
    with pytest.raises(AttributionError, match="phases lacks the columns end_ns, kind"):
        Workload(Columns({"id": integers([]), "start_ns": integers([])}))


def test_a_window_does_not_end_before_it_begins():
    whole = Columns({name: integers([]) for name in ("id", "kind", "start_ns", "end_ns")})

    with pytest.raises(AttributionError, match="window"):
        Workload(whole, window=(2, 1))


def test_learned_weights_are_rules_where_they_are_known():
    learned = LearnedWeights((KindWeight("a", 2.0, None, 1.0), KindWeight("b", None, None, 0.0)), (), 3)

    assert learned.demands == {"a": Demand.variable(2.0)}
