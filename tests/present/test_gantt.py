from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

from longpole.model.timeline import Row
from longpole.present.gantt import show_timeline
from longpole.present.terminal import terminal
from tests.present.explained import LINE, bar, over_time


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [40, 80, 100])
def test_lines_fit_at_every_width(width: int, encoding: str) -> None:
    text = over_time(width, encoding)

    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "?" not in text


def test_label_stands_once_for_all_its_rows():
    names = [line[1:9].strip() for line in over_time().splitlines()[2:10]]

    assert names == ["fetch", "prepare", "", "train", "", "", "merge", "evaluate"]


def test_kind_is_said_where_one_label_has_two():
    rows = (Row("train", "queue", (bar(0, 1),)), Row("train", "exec", (bar(1, 2),)))

    text = over_time(rows=rows, length_s=2.0, critical=())

    assert "train (queue)" in text
    assert "train (exec)" in text
    assert "critical" not in text


def test_legend_tells_the_marks_that_are_there():
    text = over_time()

    assert "█ critical path   ─ its waits   ▒ other work   × failed   > unfinished" in text
    assert "failed" not in over_time(rows=LINE.rows[:1], critical=())


def test_rows_and_bars_that_are_not_shown_are_counted():
    assert "8 of 12 rows shown, with 12 of 31 bars" in over_time()
    assert "shown" not in over_time(left_out=0, left_out_bars=0)


def test_profile_tells_its_most_and_its_mean():
    assert "3 at once at most, 1.61 on average" in over_time()


def test_axis_has_round_moments():
    [labels] = [line for line in over_time().splitlines() if "50 s" in line]

    assert [part.strip() for part in labels.split("  ") if part.strip()] == ["0 s", "50 s", "100 s"]


def test_text_of_a_run_cannot_move_the_cursor():
    text = over_time(rows=(Row("evil\x1b[2J", "exec\x07", (bar(0, 1),)),), critical=())

    assert "\x1b" not in text
    assert r"evil\x1b" in text


def test_nothing_to_draw_is_said():
    assert "nothing to draw" in over_time(rows=(), critical=())
    assert "nothing to draw" in over_time(rows=(Row("a", "b", (bar(0, 0),)),), length_s=0.0, critical=())


def test_colour_tells_the_path_where_there_is_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    shown = io.StringIO()

    show_timeline(LINE, terminal(shown))

    assert "\x1b[33m█" in shown.getvalue()
    assert "▒" not in shown.getvalue()
