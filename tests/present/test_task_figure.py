from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longpole.analyse.roofline import roofline
from longpole.describe.cases import read_case
from longpole.describe.library import machine_named, shipped_cases
from longpole.errors import UsageError
from longpole.model.roofline import TaskView
from longpole.present.task_figure import task_view, write_task_view
from tests.parts import need
from tests.present.drawn import drawn, in_the_way, texts
from tests.present.rooflines import BGW_64, BGW_1024, COSMOFLOW, FIGURE_1, LCLS

SHIPPED = shipped_cases()


def many(kinds, dots=1):
    views = tuple(
        TaskView(
            f"a kind with a long name {at}",
            f"a run with a long name {at % dots}",
            1,
            1,
            2.0**at,
            1.5**at,
            "FLOPs",
            0.75**at,
            0.01,
        )
        for at in range(kinds)
    )
    return replace(BGW_64, task_view=views)


@pytest.mark.parametrize(
    "view", [BGW_64, BGW_1024, LCLS, COSMOFLOW, many(7), many(12), many(40), many(12, 2)]
)
def test_no_label_lies_on_another_or_beyond_the_edge(view) -> None:
    need("matplotlib")

    assert in_the_way(drawn(task_view, view)) == ([], [])


@pytest.mark.parametrize("name", SHIPPED)
def test_no_label_of_a_shipped_case_lies_on_another(name: str) -> None:
    need("matplotlib")
    view = roofline(read_case(SHIPPED[name], machine_named))

    assert in_the_way(drawn(task_view, view)) == ([], [])


def test_each_kind_has_its_time_its_ceiling_and_how_near_it_comes() -> None:
    need("matplotlib")

    said = [one.get_text() for one in texts(drawn(task_view, BGW_64))]

    for text in ("18 min 16 s, 43 %", "51 min 28 s, 42 %", "FLOPs, 7 min 49 s", "Epsilon", "Sigma"):
        assert text in said
    assert any("'Sigma' dominates the makespan with 74 % of the time of all tasks" in text for text in said)


def test_kinds_beyond_a_page_are_counted() -> None:
    need("matplotlib")

    said = " | ".join(one.get_text() for one in texts(drawn(task_view, many(40))))

    assert "40 kinds of task, 16 shown" in said


def test_same_roofline_gives_the_same_bytes(tmp_path: Path) -> None:
    need("matplotlib")

    write_task_view(BGW_64, tmp_path / "first.svg")
    write_task_view(BGW_64, tmp_path / "second.svg")

    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()


def test_nothing_to_draw_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no task view to draw"):
        write_task_view(FIGURE_1, tmp_path / "view.svg")


def test_without_a_measured_task_that_is_said() -> None:
    need("matplotlib")
    planned = tuple(replace(one, seconds=None, efficiency=None, share=None) for one in BGW_64.task_view)

    said = [one.get_text() for one in texts(drawn(task_view, replace(BGW_64, task_view=planned)))]

    assert "No task was measured; by its own ceilings, 'Sigma' needs the most time." in said
