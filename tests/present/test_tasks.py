"""Tasks as text: columns that say something, as many as there is room for."""

from __future__ import annotations

from typing import Any

import pytest

from longpole.model.overview import TaskUse
from tests.present.samples import shown

WORK = TaskUse("work", 20, 0, 21, 1, None, 9.0, 7.0, 0.3, 0.5, 4_760_000)
MAKE = TaskUse("make", 20, 0, 20, 0, None, 5.0, 3.0, 0.1, 0.2, None)
NOT_SEEN: dict[str, Any] = {"processes": 0, "process_list": (), "recording": None, "host": None, "phases": ()}


def test_tasks_have_a_row_for_each_type():
    text = shown(tasks=(WORK, MAKE), **NOT_SEEN)

    assert "40 tasks" in text
    assert "0 processes" not in text
    [row] = [line for line in text.splitlines() if line.startswith(" work")]
    assert row.split() == ["work", "20", "21", "1", "9.00", "s", "7.00", "s", "500", "ms", "4.76", "MB"]
    assert "held" not in text


def test_run_without_tasks_has_no_such_table():
    assert "Tasks" not in shown()


@pytest.mark.parametrize(("width", "there"), [(60, False), (80, False), (110, True)])
def test_wide_terminals_show_more(width: int, there: bool) -> None:
    assert ("p50" in shown(width, tasks=(WORK, MAKE), steps=(), **NOT_SEEN)) == there
