"""Zones of a roofline's attainable area: by its targets or, without any, by what bounds there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longpole.model.resources import Level
from longpole.model.roofline import Roofline, Zone
from longpole.present.canvas import patch
from longpole.present.roofline_scale import Extent, bend, crossing, lowest, own_and_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes

GREY = "#E4E4E4"
_COLOURS = {
    Zone.GOOD_GOOD: "#D3EBCF",
    Zone.GOOD_POOR: "#FBF5C4",
    Zone.POOR_GOOD: "#FCE0BD",
    Zone.POOR_POOR: "#F8D6D2",
    Zone.GOOD_THROUGHPUT: "#D3EBCF",
    Zone.POOR_THROUGHPUT: "#F8D6D2",
    Zone.NODE_BOUND: "#DCEBF7",
    Zone.SYSTEM_BOUND: "#FCE8D2",
    Zone.STRUCTURE_BOUND: "#DFF1E6",
    Zone.OVERHEAD_BOUND: "#F6E4EF",
}
_OF_KIND = {
    Level.NODE: Zone.NODE_BOUND,
    Level.SYSTEM: Zone.SYSTEM_BOUND,
    Level.STRUCTURE: Zone.STRUCTURE_BOUND,
    Level.OVERHEAD: Zone.OVERHEAD_BOUND,
}
_STEPS = 240


@dataclass(frozen=True, slots=True)
class Area:
    """A zone: for each x from where to where it goes up."""

    zone: Zone
    xs: list[float]
    low: list[float]
    high: list[float]

    @property
    def empty(self) -> bool:
        """Whether there is nothing of it in the plot."""
        return all(low >= high for low, high in zip(self.low, self.high, strict=True))


def draw_zones(axes: Axes, roofline: Roofline, covers: Extent) -> None:
    """Fill the attainable area with its zones, and leave the rest grey."""
    axes.set_facecolor(GREY)
    for area in areas(roofline, covers):
        where = [low <= high for low, high in zip(area.low, area.high, strict=True)]
        axes.fill_between(
            area.xs, area.low, area.high, where=where, color=_COLOURS[area.zone], lw=0, zorder=1
        )


def zone_handles(roofline: Roofline, covers: Extent) -> list[Any]:
    """Return what the legend says of zones."""
    zones = dict.fromkeys(area.zone for area in areas(roofline, covers))
    return [
        patch(facecolor=_COLOURS[zone], edgecolor="#999999", linewidth=0.4, label=str(zone)) for zone in zones
    ]


def areas(roofline: Roofline, covers: Extent) -> list[Area]:
    """Return the zones that there are in a plot."""
    right = min(covers.right, max(float(roofline.wall.parallel), covers.left))
    xs = _across(roofline, covers, right)
    split = _by_targets(roofline, covers, xs) if roofline.targets else _by_bounds(roofline, covers, xs)
    return [area for area in split if not area.empty]


def _across(roofline: Roofline, covers: Extent, right: float) -> list[float]:
    even = [covers.left * (right / covers.left) ** (step / _STEPS) for step in range(_STEPS)]
    bends = [x for x in map(bend, roofline.ceilings) if x is not None]
    exact = [x for x in (*bends, crossing(roofline)) if covers.left < x < right]
    return sorted({*even, *exact, right})


def _by_targets(roofline: Roofline, covers: Extent, xs: list[float]) -> list[Area]:
    makespan = next((one for one in roofline.targets if one.name == "makespan"), None)
    throughput = next((one for one in roofline.targets if one.name == "throughput"), None)
    roof = [lowest(roofline, x) for x in xs]
    floor = [covers.bottom for _ in xs]
    if makespan is None or throughput is None:
        wanted = [roofline.targets[0].height(x) for x in xs]
        return [
            Area(Zone.GOOD_THROUGHPUT, xs, _most(floor, wanted), roof),
            Area(Zone.POOR_THROUGHPUT, xs, floor, _least(wanted, roof)),
        ]
    slow, few = ([one.height(x) for x in xs] for one in (makespan, throughput))
    return [
        Area(Zone.GOOD_GOOD, xs, _most(floor, _most(slow, few)), roof),
        Area(Zone.GOOD_POOR, xs, _most(floor, slow), _least(few, roof)),
        Area(Zone.POOR_GOOD, xs, _most(floor, few), _least(slow, roof)),
        Area(Zone.POOR_POOR, xs, floor, _least(_least(slow, few), roof)),
    ]


def _by_bounds(roofline: Roofline, covers: Extent, xs: list[float]) -> list[Area]:
    middle = crossing(roofline)
    halves = ([x for x in xs if x <= middle], [x for x in xs if x >= middle])
    return [
        Area(_OF_KIND[one.kind], some, [covers.bottom for _ in some], [lowest(roofline, x) for x in some])
        for one, some in zip(own_and_shared(roofline), halves, strict=True)
        if one is not None
    ]


def _most(one: list[float], other: list[float]) -> list[float]:
    return [max(pair) for pair in zip(one, other, strict=True)]


def _least(one: list[float], other: list[float]) -> list[float]:
    return [min(pair) for pair in zip(one, other, strict=True)]
