from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longpole.analyse.roofline import roofline
from longpole.describe.cases import read_case
from longpole.describe.library import machine_named, shipped_cases
from longpole.errors import UsageError
from longpole.model.case import Dot, Target
from longpole.model.resources import Level
from longpole.present.roofline_figure import workflow_view, write_workflow_view
from tests.analyse.cases import cases
from tests.parts import need
from tests.present.drawn import drawn, in_the_way, texts
from tests.present.rooflines import ALL, COSMOFLOW, FIGURE_1, GPTUNE, LCLS, node, shared
from tests.present.rooflines import roofline as built

SHIPPED = shipped_cases()


def written(view):
    return " | ".join(one.get_text() for one in texts(drawn(workflow_view, view)))


@st.composite
def rooflines(draw):
    """Draw a roofline with any number of dots, with names of any length, and with any target."""
    case = draw(cases())
    least = roofline(case).least_makespan_s
    factors = draw(st.lists(st.floats(1.0, 1e3), max_size=7))
    named = draw(st.lists(st.text("abc XYZ", min_size=1, max_size=50), min_size=7, max_size=7, unique=True))
    wanted = draw(st.sampled_from([None, 0.3, 3.0, 100.0]))
    return roofline(
        replace(
            case,
            dots=tuple(Dot(name, least * factor) for name, factor in zip(named, factors, strict=False)),
            target=Target() if wanted is None else Target(makespan_s=wanted * least),
        )
    )


@pytest.mark.parametrize("name", ALL)
def test_no_label_lies_on_another_or_beyond_the_edge(name: str) -> None:
    need("matplotlib")

    assert in_the_way(drawn(workflow_view, ALL[name])) == ([], [])


@pytest.mark.parametrize("name", SHIPPED)
def test_no_label_of_a_shipped_case_lies_on_another(name: str) -> None:
    need("matplotlib")
    view = roofline(read_case(SHIPPED[name], machine_named))

    figure = drawn(workflow_view, view)

    assert in_the_way(figure) == ([], [])
    assert "no room" not in " ".join(one.get_text() for one in texts(figure))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(view=rooflines())
def test_no_label_of_any_roofline_lies_on_another(view) -> None:
    need("matplotlib")

    assert in_the_way(drawn(workflow_view, view)) == ([], [])


def test_labels_that_lie_on_each_other_would_be_found() -> None:
    need("matplotlib")
    figure = drawn(workflow_view, LCLS)
    figure.text(0.01, 0.99, "over the title", va="top")
    figure.text(0.9, 0.5, "a text that is far too long for what is left of the page")

    pairs, beyond = in_the_way(figure)

    assert ("LCLS on Cori Haswell", "over the title") in pairs
    assert beyond == ["a text that is far too long for what is left of the page"]


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_same_roofline_gives_the_same_bytes(form: str, tmp_path: Path) -> None:
    need("matplotlib")
    first, second = tmp_path / f"first.{form}", tmp_path / f"second.{form}"

    write_workflow_view(LCLS, first)
    write_workflow_view(LCLS, second)

    assert first.read_bytes() == second.read_bytes()


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end in \.svg, \.pdf or \.png"):
        write_workflow_view(LCLS, tmp_path / "view.gif")


def test_every_mark_has_its_name() -> None:
    need("matplotlib")

    said = written(LCLS)

    for text in (
        "LCLS on Cori Haswell",
        "Bound by the external link: it takes 16 min 40 s at least",
        "external link, 16 min 40 s in all",
        "external link contended, 1 h 23 min in all",
        "burst buffer, 5.49 s in all",
        "wall: 74 (2,388 nodes / 32)",
        "target makespan, 10 min 00 s",
        "target throughput, 0.01 tasks/s",
        "good day, 98 %",
        "bad day, 98 %",
        "task: a parallel application with thousands of ranks, on 32 nodes; bytes are decimal",
        "poor makespan, poor throughput",
        "measured, contended",
        "parallel tasks",
        "tasks per second",
    ):
        assert text in said


def test_many_dots_have_labels_at_their_ends_only() -> None:
    need("matplotlib")

    said = written(COSMOFLOW)

    assert "1 instance, 35 %" in said
    assert "12 instances, 34 %" in said
    assert "6 instances" not in said
    assert "12 dots, at 34 % to 35 % of the ceilings over them" in said


def test_ceilings_far_above_are_named_and_not_drawn() -> None:
    need("matplotlib")

    assert "not drawn, far above: file system (88,900 samples/s)" in written(GPTUNE)


def test_a_diagonal_has_its_time_of_one_task_along_it() -> None:
    need("matplotlib")

    labels = {one.get_text(): one.get_rotation() for one in texts(drawn(workflow_view, FIGURE_1))}

    assert 5 < labels["PCIe, 40 ms per task"] < 60
    assert labels["network, 10.0 s in all"] == 0


def test_what_finds_no_room_is_listed_under_the_plot() -> None:
    need("matplotlib")
    crowd = [shared(f"resource number {at} of very many", 10.0 + at / 50) for at in range(60)]
    crowded = built("crowd", "machine", crowd, tasks=1, parallel=1, wall=FIGURE_1.wall)

    figure = drawn(workflow_view, crowded)

    assert in_the_way(figure) == ([], [])
    assert "no room beside their marks" in " ".join(one.get_text() for one in texts(figure))


def test_names_are_text_and_no_formulas(tmp_path: Path) -> None:
    need("matplotlib")
    odd = [
        node("$\\frac{1$ \x1b 星系", {"$x^": (1, 2.0)}),
        shared("$_", 3.0, spread=0.2, level=Level.STRUCTURE),
    ]
    strange = built("$\\undefined$", "$", odd, tasks=1, parallel=1, wall=FIGURE_1.wall)

    write_workflow_view(strange, tmp_path / "view.png")

    assert (tmp_path / "view.png").stat().st_size > 1000
