"""The roofline of the paper's workflows, worked by hand, and what holds for every workflow."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.projections import with_faster, with_intra_task
from longpole.analyse.roofline import NoCeilingError, roofline, with_question
from longpole.analyse.walls import wall_of
from longpole.errors import UsageError
from longpole.model.case import Dot, Target
from longpole.model.machine import Peak
from longpole.model.resources import Level
from longpole.model.roofline import Way, Zone
from tests.analyse.cases import GB, TB, bgw, case, cases, kind, lcls, machine


def ceiling(found, resource):
    return next(one for one in found.ceilings if one.resource == resource)


def test_external_link_bounds_lcls():
    found = roofline(lcls(dots=(Dot("good day", 1024), Dot("bad day", 5120, contended=True))))

    external = ceiling(found, "external")
    assert found.bound == "external link"
    assert external.tasks_per_second_at_dot == pytest.approx(0.006)
    assert external.contended_tasks_per_second == pytest.approx(0.0012)
    assert [dot.y for dot in found.dots] == pytest.approx([6 / 1024, 6 / 5120])
    assert [dot.efficiency for dot in found.dots] == pytest.approx([0.9766, 0.9766], rel=1e-3)


def test_lcls_has_six_tasks_five_at_once_on_two_levels_and_a_wall_of_74():
    found = roofline(lcls())

    assert (found.tasks, found.parallel, found.levels, found.wall.parallel) == (6, 5, 2, 74)
    assert ceiling(found, "memory").per_task_seconds == pytest.approx({"analyse": 32 / 129})


def test_lcls_cannot_meet_ten_minutes_on_a_good_day():
    found = roofline(lcls(target=Target(makespan_s=600), dots=(Dot("good day", 1024),)))

    makespan, derived = found.targets
    assert makespan.tasks_per_second == pytest.approx(0.01)
    assert not makespan.reachable
    assert derived.derived
    assert derived.tasks_per_second == pytest.approx(0.01)
    assert found.zone is Zone.POOR_POOR


def test_ten_times_faster_node_changes_nothing_for_lcls_and_it_is_said():
    before = roofline(lcls(dots=(Dot("good day", 1024),)))
    after = roofline(with_faster(lcls(dots=(Dot("good day", 1024),)), "node", 10))

    asked = with_question(before, after, "A node 10 times as fast")

    assert after.throughput == before.throughput
    assert after.dots[0].y == pytest.approx(before.dots[0].y)
    said = "the external link bounds it at 0.006 tasks/s, before and after."
    assert asked.notes == (f"A node 10 times as fast changes nothing: {said}",)


def test_flops_bound_berkeley_gw_at_42_percent():
    found = roofline(bgw())

    assert found.bound == "FLOPs"
    assert ceiling(found, "flops").workflow_seconds == pytest.approx(1767.9, rel=1e-4)
    assert found.dots[0].efficiency == pytest.approx(0.422, rel=2e-3)
    assert found.wall.parallel == 28
    assert found.zone is Zone.NODE_BOUND


def test_each_task_of_berkeley_gw_has_its_own_efficiency():
    views = roofline(bgw()).task_view

    assert [view.efficiency for view in views] == pytest.approx([0.427, 0.421], rel=2e-3)
    assert max(views, key=lambda view: view.share or 0).name == "S"


def test_two_best_directions_of_berkeley_gw_are_latency_and_batches():
    latency, batches = roofline(bgw()).directions[:2]

    assert (latency.way, latency.task) == (Way.UP, "S")
    assert latency.gain == pytest.approx(1 / 0.4225, rel=1e-3)
    assert (batches.way, batches.x) == (Way.DIAGONAL, 28)
    assert batches.gain == pytest.approx(28)


def test_network_per_node_counts_the_nodes_of_one_task():
    on = machine(1792, {}, {"network": Peak(100 * GB, per_node=True)})

    found = roofline(case(kind(nodes=64, system={"network": 64 * TB}), on=on))

    assert ceiling(found, "network").tasks_per_second_at_dot == pytest.approx(0.1)


def test_tasks_that_share_a_node_have_its_disk_once():
    on = machine(1, {"disk-read": 100.0}, {})

    found = roofline(case(kind(count=4, nodes=1 / 4, node={"disk-read": 100.0}), on=on, parallel=4))

    assert found.wall.parallel == 4
    assert found.least_makespan_s == pytest.approx(4.0)


def test_a_task_of_one_core_has_one_core_of_the_node():
    on = machine(1, {"cpu": 2.0}, {})

    found = roofline(case(kind(count=2, nodes=1 / 2, cores=1, node={"cpu": 10.0}), on=on, parallel=1))

    assert found.least_makespan_s == pytest.approx(20.0)
    assert found.directions[0].x == 2


def test_structure_is_named_where_tasks_in_turn_are_bound_by_different_things():
    on = machine(1, {"cpu": 1.0, "disk-read": 1.0}, {})
    reading = kind("read", node={"disk-read": 10.0})
    computing = kind("compute", node={"cpu": 10.0}, after=("read",))

    found = roofline(case(reading, computing, on=on))

    assert found.bound == "structure"
    assert found.least_makespan_s == pytest.approx(20.0)
    assert {view.name: view.bound for view in found.task_view} == {
        "read": "disk reads",
        "compute": "CPU time",
    }


def test_a_structure_a_little_lower_is_not_named_but_counts():
    on = machine(1, {"cpu": 1.0, "disk-read": 1.0}, {})
    kinds = kind("read", node={"disk-read": 8.0}), kind("compute", node={"cpu": 100.0}, after=("read",))

    found = roofline(case(*kinds, on=on, target=Target(makespan_s=105), makespan=108.0))

    assert found.bound == "CPU time"
    assert found.least_makespan_s == pytest.approx(108.0)
    assert found.dots[0].efficiency == pytest.approx(1.0)
    assert not found.targets[0].reachable


def test_tasks_that_wait_for_others_are_not_advised_to_run_beside_them():
    maps, merge = kind("map", 10, overhead={"run": 1.0}), kind("merge", overhead={"run": 1.0}, after=("map",))

    found = roofline(case(maps, merge, parallel=2, makespan=6.0))

    assert found.could == 10
    assert {way.x for way in found.directions if way.way is Way.DIAGONAL} == {10, found.wall.parallel}


def test_one_large_task_does_not_wall_many_small_ones_in():
    found = roofline(case(kind("solve", 1, 1000, overhead={"run": 1.0}), kind("post", 100, 1)))

    assert (found.wall.parallel, found.wall.kind) == (1792, "post")


def test_measured_times_are_the_structure_of_tasks_whose_work_nobody_knows():
    found = roofline(case(kind("a", 4, seconds=10.0), parallel=2, makespan=25.0))

    assert found.bound == "structure"
    assert found.dots[0].efficiency == pytest.approx(20 / 25)


def test_nothing_known_is_said():
    with pytest.raises(NoCeilingError, match="no work of its tasks is known"):
        roofline(case(kind("a")))


def test_work_on_a_resource_the_machine_lacks_is_named():
    found = roofline(case(kind(node={"flops": 1e12, "memory": 1e9})))

    assert any("memory bandwidth" in limit for limit in found.limits)
    assert not any("machine measure" in limit for limit in found.limits)


def test_who_recorded_a_run_is_told_how_to_find_the_peaks_that_are_missing():
    found = roofline(case(kind(node={"flops": 1e12, "memory": 1e9}), recorded=True))

    assert any("'longpole machine measure' finds it" in limit for limit in found.limits)


def test_overhead_bounds_what_starts_more_than_it_computes():
    on = machine(1, {"cpu": 2.0}, {})
    tuned = kind("sample", 40, overhead={"python": 5.22}, node={"cpu": 0.5})

    found = roofline(case(tuned, on=on, makespan=227.9))

    assert found.zone is Zone.OVERHEAD_BOUND
    assert found.dots[0].efficiency == pytest.approx(40 * 5.22 / 227.9)


def test_without_another_ceiling_the_gain_is_the_rest_of_the_makespan():
    found = roofline(case(kind("sample", 40, overhead={"python": 5.22}), makespan=227.9))

    raised = next(way for way in found.directions if way.way is Way.RAISE)
    assert raised.gain == pytest.approx(227.9 / (227.9 - 208.8))


def test_speed_up_is_against_the_dot_before():
    dots = (Dot("RCI", 553), Dot("Spawn", 227.9), Dot("projected", 19.08, projected=True))
    found = roofline(case(kind("sample", 40, overhead={"python": 5.22}), dots=dots, main="Spawn"))

    assert found.dots[0].speedup is None
    assert [dot.speedup for dot in found.dots[1:]] == pytest.approx([2.4265, 11.944], rel=1e-3)
    assert found.main == "Spawn"


def test_zones_without_a_makespan_are_by_throughput():
    found = roofline(lcls(target=Target(throughput=0.001), dots=(Dot("good day", 1024),)))

    assert found.zone is Zone.GOOD_THROUGHPUT


def test_intra_task_parallelism_beyond_the_machine_is_refused():
    with pytest.raises(UsageError, match="has 1,792"):
        with_intra_task(bgw(1024), 2)


def test_faster_resource_that_is_not_there_is_refused_with_the_names():
    with pytest.raises(UsageError, match="there are node, system, memory"):
        with_faster(lcls(), "memroy", 2)


@given(cases())
def test_ceilings_are_sorted_and_what_can_be_attained_is_the_lowest(drawn):
    found = roofline(drawn)

    heights = [one.tasks_per_second_at_dot for one in found.ceilings]
    assert heights == sorted(heights)
    assert found.throughput == pytest.approx(heights[0])


@given(cases(), st.data())
def test_doubling_a_peak_never_lowers_throughput(drawn, data):
    resource = data.draw(st.sampled_from([*drawn.machine.node, *drawn.machine.system, "node", "system"]))

    before, after = roofline(drawn), roofline(with_faster(drawn, resource, 2))

    for parallel in (1, drawn.parallel, 64):
        lowest = [
            min(one.height(drawn.tasks, parallel) for one in found.ceilings) for found in (before, after)
        ]
        assert lowest[1] >= lowest[0] * (1 - 1e-9)


@given(cases().filter(lambda one: all(kind.nodes >= 1 for kind in one.kinds)))
def test_doubling_intra_task_parallelism_halves_the_wall_and_doubles_node_ceilings(drawn):
    roomy = replace(drawn, machine=replace(drawn.machine, nodes=2 * drawn.machine.nodes))

    before, after = roofline(roomy), roofline(with_intra_task(roomy, 2))

    assert after.wall.parallel == before.wall.parallel // 2
    for one in before.ceilings:
        if one.kind is Level.NODE:
            wider = ceiling(after, one.resource)
            assert wider.serial_seconds == pytest.approx(one.serial_seconds / 2)


@given(cases(), st.floats(1.0, 5.0))
def test_no_dot_of_a_possible_run_lies_above_any_ceiling(drawn, slower):
    makespan_s = possible_makespan_s(drawn) * slower

    found = roofline(replace(drawn, dots=(Dot("run", makespan_s),)))

    reached = found.dots[0].y
    assert all(reached <= one.tasks_per_second_at_dot * (1 + 1e-9) for one in found.ceilings)


def possible_makespan_s(drawn):
    """Return how long one way to run a case takes that the machine allows: first all bytes over the link,
    then kind after kind on lanes, each task with its share of a node and no more."""
    link_s = sum(
        one.count * one.system["external"].amount / drawn.machine.system["external"].nominal
        for one in drawn.kinds
        if "external" in one.system
    )
    most = min(drawn.parallel, wall_of(drawn).parallel)  # which is of the main kind; others may be wider
    return link_s + sum(
        ceil(one.count / min(most, max(1, drawn.machine.fitting(one.nodes)))) * alone_s(one, drawn.machine)
        for one in drawn.kinds
    )


def alone_s(one, on):
    share = min(1, one.nodes)
    working = max(volume.amount / (on.node[name].nominal * share) for name, volume in one.node.items())
    return working + sum(volume.amount for volume in one.overhead.values())
