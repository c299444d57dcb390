"""All rules of ours together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from longpole.analyse.blame import Labels
from longpole.analyse.rules.case import Case
from longpole.analyse.rules.ours import OURS
from longpole.analyse.tree import tree_of
from longpole.model.columns import Columns, integers, texts
from tests.analyse.planted import Planted

EVERY = pytest.mark.parametrize("rule", OURS, ids=lambda rule: rule.name)


def without_phases() -> Case:
    whole = ("id", "parent", "task", "process", "lane", "start_ns", "end_ns")
    tree = tree_of(Columns({**{name: integers([]) for name in whole}, "kind": texts([]), "name": texts([])}))
    case = Planted(1.0).case()
    return replace(case, tree=tree, labels=Labels(tree.name, tree.names), on_path_ns=np.zeros(0, np.int64))


@EVERY
def test_a_rule_is_silent_where_there_is_nothing(rule):
    assert list(rule.look(without_phases())) == []
    assert list(rule.look(Planted(1.0).case())) == []


@EVERY
def test_a_rule_is_silent_where_all_is_well(rule):
    run = Planted(100.0)
    process = run.phase("process", "python", 0.0, 100.0, process=1)
    run.phase("phase", "simulate", 0.0, 100.0, parent=process, process=1)
    run.facts(cpu_user_s=400.0, cpu_system_s=0.0)

    assert list(rule.look(run.case())) == []


def test_rules_have_names_of_their_own():
    assert len({rule.name for rule in OURS}) == len(OURS)
