from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings

from longpole.model.resources import Level
from longpole.model.roofline import TargetLine, Zone
from longpole.present.roofline_scale import Extent, crossing, extent, far, hidden, lowest, near, round_heights
from longpole.present.roofline_zones import areas
from tests.present.rooflines import BGW_64, COSMOFLOW, FIGURE_1, GPTUNE, LCLS, node, roofline, shared
from tests.present.test_roofline_figure import rooflines


def zones(view):
    return [area.zone for area in areas(view, extent(view))]


def test_targets_that_cannot_be_reached_leave_no_good_zone() -> None:
    assert zones(LCLS) == [Zone.GOOD_POOR, Zone.POOR_POOR]


def test_targets_under_the_roof_give_four_zones() -> None:
    targets = (
        TargetLine("makespan", 2000.0, 0.003, 0.0006, True, True),
        TargetLine("throughput", None, 0.002, 0.0, True, True),
    )

    assert len(zones(replace(LCLS, targets=targets))) == 4


def test_a_throughput_alone_gives_two_zones() -> None:
    target = TargetLine("throughput", None, 0.002, 0.0, True, True)

    assert zones(replace(LCLS, targets=(target,))) == [Zone.GOOD_THROUGHPUT, Zone.POOR_THROUGHPUT]


def test_without_targets_zones_meet_where_own_and_shared_ceilings_cross() -> None:
    both = roofline(
        "both",
        "m",
        [node("PCIe", {"a": (1, 10.0)}), shared("disk", 2.0)],
        tasks=1,
        parallel=1,
        wall=FIGURE_1.wall,
    )

    assert crossing(both) == 5.0
    left, right = areas(both, extent(both))
    assert (left.zone, right.zone) == (Zone.NODE_BOUND, Zone.SYSTEM_BOUND)
    assert left.xs[-1] == right.xs[0] == 5.0


def test_one_kind_of_ceiling_gives_one_zone() -> None:
    assert zones(COSMOFLOW) == [Zone.NODE_BOUND]
    assert zones(FIGURE_1) == [Zone.SYSTEM_BOUND]
    assert crossing(FIGURE_1) < 1


def test_ceilings_that_come_near_nowhere_are_far() -> None:
    assert [one.name for one in far(GPTUNE)] == ["file system"]
    assert far(BGW_64) == ()


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(view=rooflines())
def test_plot_covers_every_dot_and_zones_end_at_the_roof(view) -> None:
    covers = extent(view)

    assert all(covers.left < dot.x < covers.right for dot in view.dots)
    assert all(covers.bottom < dot.y < covers.top for dot in view.dots)
    assert {one.name for one in (*near(view), *far(view), *hidden(view))} == {
        one.name for one in view.ceilings
    }
    for area in areas(view, covers):
        assert area.xs[-1] <= max(view.wall.parallel, covers.left)
        assert all(high <= lowest(view, x) * 1.0001 for x, high in zip(area.xs, area.high, strict=True))


def test_a_structure_that_bounds_where_it_rises_has_its_own_zone() -> None:
    rising = node("structure", {"a": (4, 2.0)}, least=1.0, level=Level.STRUCTURE)
    view = roofline(
        "w", "m", [rising, node("PCIe", {"a": (4, 1.0)})], tasks=4, parallel=2, wall=FIGURE_1.wall
    )

    assert zones(view) == [Zone.STRUCTURE_BOUND]


def test_axes_of_few_decades_have_numbers_between_powers_of_ten() -> None:
    assert round_heights(Extent(1, 10, 0.4, 60), 6) == [0.5, 1, 2, 5, 10, 20, 50]
    assert round_heights(Extent(1, 10, 0.4, 6000), 6) == [1, 10, 100, 1000]
