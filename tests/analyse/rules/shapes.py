"""Shapes of runs that rules are tried on, and what is asked of every finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from longpole.analyse.rules.case import Rule
from longpole.analyse.rules.ours import OURS
from longpole.model.explanation import Finding
from tests.analyse.planted import Planted

SEEDS = pytest.mark.parametrize("seed", range(20))
Part = tuple[str, str, float]


def chain(run: Planted, parent: int, at_s: float, parts: Iterable[Part], **more: int) -> float:
    """Put down phases one after the other: kind, name and seconds. Return when the last ends."""
    for kind, name, seconds in parts:
        run.phase(kind, name, at_s, at_s + seconds, parent=parent, **more)
        at_s += float(seconds)
    return at_s


def starts_on(seconds: Sequence[float], slots: int) -> list[float]:
    """Return when each of some tasks starts, in their order, so many at a time."""
    free, starts = [0.0] * slots, []
    for took in seconds:
        slot = int(np.argmin(free))
        starts.append(free[slot])
        free[slot] += float(took)
    return starts


def makespan_on(seconds: Sequence[float], slots: int) -> float:
    """Return when the last of some tasks ends, so many at a time."""
    starts = starts_on(seconds, slots)
    return max(start + float(took) for start, took in zip(starts, seconds, strict=True))


def first_of_ours(run: Planted) -> Finding:
    """Return what comes first when all rules look; all findings must be made of sentences with figures."""
    found = run.findings(*OURS)
    assert found, "nothing was found"
    for one in found:
        for text in (*one.evidence, one.advice):
            assert text.endswith("."), text
            assert any(letter.isdigit() for letter in text), text
            assert "  " not in text, text
        assert one.title
        assert one.phase
        assert one.change
        assert one.saving_low_s <= one.saving_s <= one.saving_high_s
    return found[0]


def is_silent(run: Planted, rule: Rule) -> bool:
    """Return whether a rule finds nothing."""
    return not run.findings(rule)
