from __future__ import annotations

import io

import pytest
from hypothesis import HealthCheck, given, settings

from longpole.analyse.roofline import roofline
from longpole.describe.cases import read_case
from longpole.describe.library import machine_named, shipped_cases
from longpole.present.roofline_plot import roofline_plot
from longpole.present.terminal import terminal
from tests.present.rooflines import ALL, COSMOFLOW, GPTUNE, LCLS
from tests.present.test_roofline_figure import rooflines

SHIPPED = shipped_cases()


def plot(view, width=80, encoding="utf-8"):
    console = terminal(io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    console.width = width
    with console.capture() as capture:
        console.print(roofline_plot(view, console))
    return [line.rstrip() for line in capture.get().splitlines()]


def readable(lines, width):
    assert max(map(len, lines)) <= width
    assert len(lines) <= 30
    return True


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("name", ALL)
def test_plot_is_no_wider_than_the_terminal(name: str, width: int) -> None:
    assert readable(plot(ALL[name], width), width)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_cases_have_every_name_beside_their_lines(name: str) -> None:
    view = roofline(read_case(SHIPPED[name], machine_named))

    lines = plot(view)

    assert readable(lines, 80)
    said = "\n".join(lines)
    for one in view.ceilings:
        assert one.name in said


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(view=rooflines())
def test_any_roofline_can_be_plotted(view) -> None:
    assert max(map(len, plot(view))) <= 80


def test_each_mark_is_there_and_told() -> None:
    lines = plot(LCLS)

    said = "\n".join(lines)
    assert "● good day: 17 min 04 s, 98 %" in said
    assert "◆ bad day, contended: 1 h 25 min, 98 %" in said
    assert "│ wall: 74 (2,388 nodes / 32)" in said
    assert "A external link\n" in said
    assert "a external link contended" in said
    assert "1 target 10 min 00 s" in said
    assert sum(line.count("●") for line in lines) == 2


def test_dots_are_higher_with_more_throughput() -> None:
    lines = plot(LCLS)

    good = next(at for at, line in enumerate(lines) if "●" in line)
    bad = next(at for at, line in enumerate(lines) if "◆" in line)
    assert good < bad


def test_projected_dots_are_open_and_what_is_far_above_is_said() -> None:
    said = "\n".join(plot(GPTUNE))

    assert "○ without Python, projected: 19.1 s, 100 %" in said
    assert "not drawn, far above: file system (88,900 samples/s)" in said


def test_many_dots_are_told_together() -> None:
    lines = plot(COSMOFLOW)

    assert "● 12 dots, at 34 % to 35 % of the ceilings over them" in "\n".join(lines)
    assert sum(line.count("●") for line in lines) == 12 + 1


def test_without_blocks_it_is_drawn_in_ascii() -> None:
    lines = plot(LCLS, encoding="ascii")

    assert all(line.replace("…", "~").isascii() for line in lines)
    assert any("-------" in line for line in lines)
    assert any("* good day" in line for line in lines)
