"""All rules together: their names, and silence where nothing is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from longpole.analyse.blame import Labels
from longpole.analyse.rules.case import Case, Rule
from longpole.analyse.rules.ours_b import OURS_B
from longpole.analyse.tree import tree_of
from longpole.model.columns import Columns, integers, texts
from tests.analyse.planted import Planted


def test_rules_have_names_of_their_own():
    names = [rule.name for rule in OURS_B]

    assert names == [
        "straggler",
        "imbalance",
        "dispatch",
        "memory-pressure",
        "small-files",
        "re-reading",
        "interference",
        "lock",
    ]


@pytest.mark.parametrize("rule", OURS_B, ids=lambda rule: rule.name)
def test_silent_on_a_run_without_anything(rule: Rule):
    assert list(rule.look(Planted(10.0).case())) == []


@pytest.mark.parametrize("rule", OURS_B, ids=lambda rule: rule.name)
def test_silent_on_a_case_without_phases(rule: Rule):
    assert list(rule.look(_nothing())) == []


@pytest.mark.parametrize("rule", OURS_B, ids=lambda rule: rule.name)
def test_silent_without_samples_on_a_serial_run(rule: Rule):
    planted = Planted(30.0)
    top = planted.phase("process", "python fit.py", 0.0, 30.0, process=1)
    for at in range(3):
        planted.phase("phase", "fit", at * 10.0, at * 10.0 + 9.0, parent=top, process=1)

    assert list(rule.look(planted.case())) == []


def _nothing() -> Case:
    whole = ("id", "parent", "task", "process", "lane", "start_ns", "end_ns")
    phases = Columns({**{name: integers([]) for name in whole}, "kind": texts([]), "name": texts([])})
    tree = tree_of(phases)
    none = np.zeros(0, np.int64)
    return replace(Planted(1.0).case(), tree=tree, labels=Labels(none, ("",)), on_path_ns=none)
