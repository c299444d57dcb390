from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longpole.analyse.roofline import roofline
from longpole.describe.cases import read_case
from longpole.describe.library import machine_named, shipped_cases
from longpole.errors import UsageError
from longpole.present.breakdown_figure import breakdown, write_breakdown
from tests.parts import need
from tests.present.drawn import drawn, in_the_way, texts
from tests.present.rooflines import BGW_64, FIGURE_1, GPTUNE, LCLS
from tests.present.rooflines import breakdown as parts_of

SHIPPED = {
    name: view
    for name, path in shipped_cases().items()
    if (view := roofline(read_case(path, machine_named))).breakdowns
}
CROWD = replace(
    LCLS,
    breakdowns=tuple(
        parts_of(f"a run with a long name {run}", **{f"part_number_{at}": 2.0**at for at in range(14)})
        for run in range(9)
    ),
)


@pytest.mark.parametrize("view", [LCLS, BGW_64, GPTUNE, CROWD])
def test_no_label_lies_on_another_or_beyond_the_edge(view) -> None:
    need("matplotlib")

    assert in_the_way(drawn(breakdown, view)) == ([], [])


@pytest.mark.parametrize("name", SHIPPED)
def test_no_label_of_a_shipped_case_lies_on_another(name: str) -> None:
    need("matplotlib")

    assert in_the_way(drawn(breakdown, SHIPPED[name])) == ([], [])


def test_each_part_has_its_seconds_and_share_in_its_bar_or_under_it() -> None:
    need("matplotlib")

    said = [one.get_text() for one in texts(drawn(breakdown, LCLS))]

    assert "16 min 40 s (98 %)" in said
    assert "1 h 23 min (98 %)" in said
    under = " ".join(said)
    assert "good day, analysis 20.0 s (2 %)" in under
    assert "bad day, merging 10.0 s (0.2 %)" in under
    assert "'good day' spends 98 % of its makespan on loading." in said


def test_same_roofline_gives_the_same_bytes(tmp_path: Path) -> None:
    need("matplotlib")

    write_breakdown(LCLS, tmp_path / "first.pdf")
    write_breakdown(LCLS, tmp_path / "second.pdf")

    assert (tmp_path / "first.pdf").read_bytes() == (tmp_path / "second.pdf").read_bytes()


def test_nothing_to_draw_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no breakdown to draw"):
        write_breakdown(FIGURE_1, tmp_path / "bars.svg")
