"""The budget: long steps are all noted in full, short ones are counted and some of them noted."""

from __future__ import annotations

from typing import Any

import pytest

from longpole.record.client.ring import private_ring
from longpole.record.hooks import budget as module
from longpole.record.hooks.budget import LONGEST_WAIT_NS, Budget

MS = 1_000_000
TRAINING, INFERENCE = 0, 1


@pytest.fixture
def remarks(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Let a look at the clock take 50 ns, and keep what is said."""
    said: list[dict[str, Any]] = []
    monkeypatch.setattr(module, "remark", lambda **facts: said.append(facts))
    monkeypatch.setattr(module, "_time_a_look", lambda: 50.0)
    monkeypatch.delenv("LONGPOLE_DETAIL", raising=False)
    return said


def noted(budget: Budget, kind: int, took_ns: int, steps: int = 5000) -> int:
    """Return how many of these steps are noted in full, if parts are looked at whenever they need be."""
    full, quiet = 0, False
    for step in range(steps):
        full += budget.in_full(kind, took_ns, with_parts=not quiet)
        if step % 16 == 15:
            quiet = budget.counts(TRAINING)
    return full


@pytest.mark.parametrize("kind", [TRAINING, INFERENCE])
def test_steps_of_two_milliseconds_are_all_noted(remarks: list[dict[str, Any]], kind: int) -> None:
    assert noted(Budget(private_ring(256)), kind, 2 * MS) == 5000
    assert (remarks[-1]["every"], remarks[-1]["light"]) == ((64, True), (1, True))[kind]


def test_of_training_steps_of_middling_length_some_are_noted_in_full(remarks: list[dict[str, Any]]) -> None:
    budget, full = Budget(private_ring(256)), 0
    for step in range(5000):
        budget.in_full(TRAINING, 5 * MS, with_parts=not budget.light)
        full += step >= 32 and not budget.light

    assert 5000 / 80 <= full <= 5000 / 50
    assert budget.wait_ns(TRAINING) == LONGEST_WAIT_NS


def test_a_sample_in_full_is_soon_looked_at(remarks: list[dict[str, Any]]) -> None:
    budget = Budget(private_ring(256))
    while not remarks or budget.light:
        budget.in_full(TRAINING, 5 * MS, with_parts=not budget.light)

    assert budget.wait_ns(TRAINING) <= 8 * 5 * MS
    assert budget.wait_ns(INFERENCE) == LONGEST_WAIT_NS


def test_training_steps_of_twenty_milliseconds_are_all_in_full(remarks: list[dict[str, Any]]) -> None:
    noted(Budget(private_ring(256)), TRAINING, 20 * MS)

    assert remarks[-1]["every"] == 1


def test_steps_of_two_milliseconds_are_noted_on_a_slow_machine_too(
    remarks: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_time_a_look", lambda: 500.0)

    assert noted(Budget(private_ring(256)), TRAINING, 2 * MS) == 5000


@pytest.mark.parametrize("kind", [TRAINING, INFERENCE])
def test_of_short_steps_about_one_in_a_hundred_is_noted(remarks: list[dict[str, Any]], kind: int) -> None:
    assert 40 <= noted(Budget(private_ring(256)), kind, MS // 10) <= 160
    assert remarks[-1]["every"] == 100


def test_what_was_chosen_is_said_with_its_reason(remarks: list[dict[str, Any]]) -> None:
    noted(Budget(private_ring(256)), TRAINING, MS // 10)

    facts = {"about": "detail", "kind": "step", "detail": "auto", "every": 100, "light": False}
    assert remarks == [{**facts, "step_ns": MS // 10, "cost_ns": 60000}]


def test_steps_that_get_longer_are_noted_again(remarks: list[dict[str, Any]]) -> None:
    budget = Budget(private_ring(256))
    noted(budget, TRAINING, MS // 10)

    assert noted(budget, TRAINING, 5 * MS) > 4900
    assert noted(budget, TRAINING, 20 * MS) == 5000
    assert [said["every"] for said in remarks] == [100, 64, 1]


def test_choice_holds_while_steps_vary_around_the_bound(remarks: list[dict[str, Any]]) -> None:
    budget = Budget(private_ring(256))
    for turn in range(20):
        noted(budget, TRAINING, round((1.78, 1.9)[turn % 2] * MS), steps=64)

    assert len(remarks) == 1


@pytest.mark.parametrize(("detail", "every"), [("low", 100), ("high", 1)])
def test_detail_that_was_asked_for_holds_whatever_it_costs(
    remarks: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, detail: str, every: int
) -> None:
    monkeypatch.setenv("LONGPOLE_DETAIL", detail)
    for took_ns in (MS // 100, 100 * MS):
        noted(Budget(private_ring(256)), TRAINING, took_ns, steps=200)

    assert [said["every"] for said in remarks] == [every, every]
