from __future__ import annotations

import numpy as np
from hypothesis import given

from longpole.analyse.own_time import own_time, started
from tests.analyse.planted import S
from tests.analyse.planted_bounds import PlantedUse
from tests.analyse.trees import trees


def spans(found):
    rows = zip(found.row.tolist(), found.start.tolist(), found.end.tolist(), strict=True)
    return [(row, start / S, end / S) for row, start, end in rows]


def every(tree):
    return np.arange(1, len(tree))


def nobody(tree):
    return np.zeros(len(tree), np.bool_)


def test_a_phase_has_what_its_parts_leave_of_it():
    run = PlantedUse(10.0)
    python = run.process("python", 0, 10)
    run.phase("step", "step", 2, 5, python, process=python)

    found = own_time(run.tree(), every(run.tree()), nobody(run.tree()))

    assert spans(found) == [(1, 0.0, 2.0), (1, 5.0, 10.0), (2, 2.0, 5.0)]


def test_a_process_takes_no_time_from_the_one_that_started_it_unless_that_waits():
    run = PlantedUse(10.0)
    shell = run.process("sh", 0, 10)
    run.process("python", 1, 9, parent=shell)
    tree = run.tree()
    waits = nobody(tree)
    waits[1] = True

    assert spans(own_time(tree, every(tree), nobody(tree)))[0] == (1, 0.0, 10.0)
    assert spans(own_time(tree, every(tree), waits)) == [(1, 0.0, 1.0), (1, 9.0, 10.0), (2, 1.0, 9.0)]
    assert spans(started(tree, every(tree))) == [(1, 1.0, 9.0)]


@given(trees(nested=True))
def test_own_time_lies_within_its_phase_and_is_at_most_as_long(tree):
    found = own_time(tree, every(tree), nobody(tree))

    assert (found.start >= tree.start_ns[found.row]).all()
    assert (found.end <= tree.end_ns[found.row]).all()
    assert (found.summed(len(tree)) <= (tree.end_ns - tree.start_ns) / S + 1e-9).all()
