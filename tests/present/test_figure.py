from __future__ import annotations

import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from longpole.errors import MissingLibraryError, UsageError
from longpole.model.timeline import Row, Timeline
from longpole.present.figure import write_figure
from tests.parts import need
from tests.present.explained import FULL, LINE, bar

BEGINS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_same_data_gives_the_same_bytes(form: str, tmp_path: Path) -> None:
    need("matplotlib")
    first, second = tmp_path / f"first.{form}", tmp_path / f"second.{form.upper()}"

    write_figure(LINE, FULL, first)
    write_figure(LINE, FULL, second)

    assert first.read_bytes().startswith(BEGINS[form])
    assert first.read_bytes() == second.read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([first.name, second.name])


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end in \.svg, \.pdf or \.png"):
        write_figure(LINE, FULL, tmp_path / "figure.gif")


def test_nothing_to_draw_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to draw"):
        write_figure(Timeline((), 0.0), FULL, tmp_path / "figure.svg")


def test_without_matplotlib_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(MissingLibraryError, match=r"pip install 'longpole\[figures\]'"):
        write_figure(LINE, FULL, tmp_path / "figure.svg")
    assert os.listdir(tmp_path) == []


def test_file_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    need("matplotlib")

    with pytest.raises(UsageError, match=r"Cannot write .*No such file or directory"):
        write_figure(LINE, FULL, tmp_path / "nowhere" / "figure.svg")


def test_names_are_text_and_no_formulas(tmp_path: Path) -> None:
    need("matplotlib")
    odd = Timeline((Row("$\\frac{1$ \x1b 星系", "$x^", (bar(0, 1),)),), 1.0)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_figure(odd, replace(FULL, name="$\\undefined$", findings=()), tmp_path / "figure.png")

    assert (tmp_path / "figure.png").stat().st_size > 1000


def test_figure_needs_no_display_and_leaves_settings_alone(tmp_path: Path) -> None:
    need("matplotlib")
    import matplotlib as mpl

    before = mpl.rcParams["font.size"]
    write_figure(LINE, FULL, tmp_path / "figure.svg")

    assert mpl.rcParams["font.size"] == before
    assert "matplotlib.pyplot" not in sys.modules


def test_many_rows_and_kinds_still_make_a_page(tmp_path: Path) -> None:
    need("matplotlib")
    rows = tuple(Row(f"task {at}", f"kind {at % 9}", (bar(at, at + 2),)) for at in range(90))

    write_figure(Timeline(rows, 92.0), replace(FULL, makespan_s=None), tmp_path / "figure.pdf")

    assert (tmp_path / "figure.pdf").stat().st_size > 1000
