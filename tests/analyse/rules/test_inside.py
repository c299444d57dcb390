"""Phases with all that lies within them."""

from __future__ import annotations

import pytest

from longpole.analyse.rules.inside import inside, slowest
from tests.analyse.planted import Planted


def nested() -> Planted:
    run = Planted(10.0)
    outer = run.phase("import", "torch", 0.0, 4.0)
    run.phase("import", "numpy", 1.0, 2.0, parent=outer)
    run.phase("phase", "work", 4.0, 8.0)
    run.phase("import", "numpy", 8.0, 9.0)
    return run


def test_the_outermost_counts_with_all_within_it():
    case = nested().case()

    found = inside(case, case.tree.places_of_kind("import"))

    assert found.outermost.tolist() == [1, 4]
    assert found.owner.tolist() == [-1, 1, 1, -1, 4]
    assert found.path_s == pytest.approx(5.0)
    assert found.share == pytest.approx(0.5)
    assert slowest(case, found) == "torch 4.00 s, numpy 1.00 s"


def test_nothing_is_within_nothing():
    case = nested().case()

    found = inside(case, case.tree.places_of_kind("trial"))

    assert (len(found.outermost), found.share, found.marks.any()) == (0, 0.0, False)
