from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.trials import trials_of
from longpole.model.overview import Trial
from tests.analyse.evidence import SECOND, full, many, table


def row(said: object = None, **known: Any) -> dict[str, Any]:
    attributes = said if isinstance(said, str) else json.dumps(said or {})
    facts = {"search": "study", "search_ns": 1, "name": "trial 3", "process": 1, "status": "ok"}
    return {**facts, "duration_ns": 2 * SECOND, "attributes": attributes, **known}


def found(*rows, steps=()):
    return trials_of(table("trials", *rows), table("steps", *steps))


def test_a_trial_worked_by_hand():
    said = {
        "number": 3,
        "state": "pruned",
        "value": 0.5,
        "params": {"lr": 0.1, "norm": "batch", "deep": True},
    }

    (only,) = found(row(said, full=4), steps=[full(9, 90)])

    assert only == Trial("study", 3, "pruned", 0.5, 2.0, 4, {"lr": 0.1, "norm": "batch", "deep": True})


def test_trials_come_by_search_and_number():
    rows = [
        row({"number": at}, search=name, search_ns=ns)
        for name, ns, at in (("b", 5, 2), ("b", 5, 0), ("a", 9, 1))
    ]

    assert [(one.search, one.number) for one in found(*rows)] == [("b", 0), ("b", 2), ("a", 1)]


def test_several_values_are_kept():
    (only,) = found(row({"value": [1, 2.5, None]}))

    assert only.value == (1.0, 2.5, None)


@pytest.mark.parametrize(
    ("status", "state"), [("ok", "complete"), ("failed", "failed"), ("unfinished", "unfinished")]
)
def test_what_a_trial_does_not_say_its_phase_tells(status, state):
    (only,) = found(row("", status=status))

    assert (only.number, only.state, only.value, only.params) == (3, state, None, {})


def test_a_trial_without_steps_has_none_of_them():
    (only,) = found(row(full=None))

    assert only.steps == 0


def test_where_steps_were_counted_epochs_tell_how_many():
    steps = [full(2, 20), many(8, 80)]

    (whole,) = found(row(full=1, epochs=5, all_epochs=10), steps=steps)
    (partly,) = found(row(full=1, epochs=5, all_epochs=9), steps=steps)

    assert (whole.steps, partly.steps) == (5, None)


def test_steps_of_other_processes_and_kinds_do_not_matter():
    steps = [many(8, 80, process=2), many(8, 80, kind="inference")]

    (only,) = found(row(full=7), steps=steps)

    assert only.steps == 7


def test_a_run_without_trials_has_none():
    assert found() == ()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


@given(st.text() | st.dictionaries(st.sampled_from(["number", "state", "value", "params"]), VALUES))
def test_hostile_attributes_never_raise_and_can_be_written(said):
    (only,) = found(row(said))

    msgspec.json.encode(only)


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"params": ' * 5_000, '{"number": ' + "9" * 10_000 + "}"])
def test_attributes_without_bounds_never_raise(deep):
    (only,) = found(row(deep))

    assert only.params == {}
