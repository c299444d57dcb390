from __future__ import annotations

import pytest

from longpole.analyse.observations import observations
from longpole.analyse.pieces import activity, asked, cut, leaves
from longpole.model.attribution import AttributionError, Demand, Workload
from longpole.model.columns import Columns, integers, texts
from tests.analyse.workloads import SECOND, listed, ns, samples, work


def active(workload):
    found = activity(workload).active
    return list(
        zip(found.row.tolist(), (found.start / SECOND).tolist(), (found.end / SECOND).tolist(), strict=True)
    )


def pieces(workload, demands, *rows):
    found = cut(activity(workload).active, asked(workload, demands), observations(samples(*rows)))
    columns = (found.start / SECOND, found.end / SECOND, found.observation, found.exact, found.weight)
    return [tuple(row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def test_a_phase_is_active_but_while_something_blocks_it():
    # two blocks overlap: together they hold phase 1 from 2 to 5; the third ends after its phase
    blocked = [(1, "lock", 2, 4), (1, "gc", 3, 5), (2, "gc", 9, 99), (77, "gc", 0, 9)]

    assert active(work(("a", 0, 10), ("b", 5, 12), blocked=blocked)) == [
        (0, 0.0, 2.0),
        (0, 5.0, 10.0),
        (1, 5.0, 9.0),
    ]


def test_the_window_cuts_phases_and_leaves_those_outside_out():
    assert active(work(("a", 0, 10), ("b", 0, 3), window=(4, 6))) == [(0, 4.0, 6.0)]


def test_a_phase_that_is_blocked_all_the_time_is_never_active():
    assert active(work(("a", 0, 10), blocked=[(1, "lock", 0, 10)])) == []


def test_phases_that_cannot_be_are_refused():
    with pytest.raises(AttributionError, match="Phase 1 ends before it begins"):
        activity(work(("a", 5, 2)))
    twice = Columns({**work(("a", 0, 1), ("a", 0, 1)).phases, "id": integers([3, 3])})
    with pytest.raises(AttributionError, match="one id"):
        activity(Workload(twice))


def test_time_is_cut_where_demands_and_samples_change_and_nowhere_else():
    # c asks for nothing, so its begin at 3 cuts nothing; time without a sample (after 8) is no piece
    workload = work(("a", 0, 6), ("b", 2, 9), ("c", 3, 4))
    demands = {"a": Demand.exact(1.5), "b": Demand.variable(2.0), "c": Demand.variable(0.0)}

    assert pieces(workload, demands, (0, 5, 1.0), (5, 8, 1.0)) == [
        (0.0, 2.0, 0, 1.5, 0.0),
        (2.0, 5.0, 0, 1.5, 2.0),
        (5.0, 6.0, 1, 1.5, 2.0),
        (6.0, 8.0, 1, 0.0, 2.0),
    ]


def test_demands_of_phases_side_by_side_add_up():
    workload = work(("a", 0, 4), ("a", 1, 3), ("a", 3, 4))

    found = pieces(workload, {"a": Demand.exact(0.1)}, (0, 5, 1.0))

    assert [row[3] for row in found] == pytest.approx([0.1, 0.2, 0.2, 0.0])
    assert found[-1][3] == 0.0


def test_a_phase_of_unknown_kind_asks_for_nothing():
    rows = Columns({**work(("a", 0, 1), ("a", 0, 1)).phases, "kind": texts([None, "a"])})

    assert asked(Workload(rows), {"": Demand.exact(9), "a": Demand.exact(2)}).exact.tolist() == [0.0, 2.0]


def test_leaves_are_no_parents():
    tree = Columns(
        {
            "id": integers([1, 2, 3]),
            "parent": integers([None, 1, 1]),
            "kind": texts(["run", "a", "b"]),
            "start_ns": integers([0, 0, ns(1)]),
            "end_ns": integers([ns(2), ns(1), ns(2)]),
        }
    )

    assert listed(leaves(tree), "id", "kind") == [(2, "a"), (3, "b")]


def test_no_samples_make_no_pieces():
    assert pieces(work(("a", 0, 6)), {"a": Demand.exact(1)}) == []
