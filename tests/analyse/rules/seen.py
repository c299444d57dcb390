"""What rules say of a planted run, and what holds for all that they say."""

from __future__ import annotations

import re

from longpole.analyse.rules.ours import OURS
from longpole.model.explanation import Finding
from tests.analyse.planted import Planted

SEEDS = range(20)


def first(planted: Planted) -> Finding:
    """What gains most, of all that the rules find."""
    found = planted.findings(*OURS)
    assert found, "nothing was found"
    for finding in found:
        assert_readable(finding)
    return found[0]


def rules_of(planted: Planted) -> set[str]:
    """Which rules find something."""
    return {finding.rule for finding in planted.findings(*OURS)}


def assert_readable(finding: Finding) -> None:
    """Sentences that end with a full stop, evidence with figures, a range around the saving."""
    assert finding.change[-1] != ".", finding.change  # a part of a sentence
    for text in (*finding.evidence, finding.advice):
        assert text.endswith("."), text
        assert text[0].isupper() or text[0].isdigit() or text[0] == "'", text
        assert "nan" not in re.findall(r"[a-z]+", text), text
    assert finding.evidence
    for text in finding.evidence:
        assert re.search(r"\d", text), text
    assert finding.title
    assert finding.phase
    assert finding.saving_low_s <= finding.saving_s <= finding.saving_high_s


def assert_near(found_s: float, truth_s: float, share: float) -> None:
    """A saving that is right but for a share of it."""
    assert abs(found_s - truth_s) <= share * truth_s, (found_s, truth_s)
