"""Time lines: only what can be drawn can be made."""

from __future__ import annotations

import pytest

from longpole.model.timeline import Bar, Piece, Row, Timeline, TimelineError


def test_bars_of_a_row_do_not_overlap() -> None:
    with pytest.raises(TimelineError, match="overlap"):
        Row("a", "exec", (Bar(0.0, 2.0, "ok"), Bar(1.0, 3.0, "ok")))


def test_bars_do_not_end_before_they_begin() -> None:
    with pytest.raises(TimelineError, match="ends before it begins"):
        Row("a", "exec", (Bar(2.0, 1.0, "ok"),))


def test_critical_path_lies_in_rows_that_are_there() -> None:
    with pytest.raises(TimelineError, match="not there"):
        Timeline((), 1.0, critical=(Piece(0, 0.0, 1.0),))


def test_bars_end_with_the_run_at_the_latest() -> None:
    with pytest.raises(TimelineError, match="after the run"):
        Timeline((Row("a", "exec", (Bar(0.0, 2.0, "ok"),)),), 1.0)


def test_bars_that_stand_for_several_count_as_several() -> None:
    row = Row("a", "exec", (Bar(0.0, 1.0, "ok", 7), Bar(1.0, 2.0, "failed")))

    assert Timeline((row,), 2.0).shown_bars == 8
