"""Types of task as a table: as many columns and rows as there is room for."""

from __future__ import annotations

import pytest

from longpole.model.standing import RunState, TypeStanding
from longpole.present.lines import Surface, width_of
from longpole.present.task_types import task_types
from tests.present.standings import CUT, SCORE, TOTAL, UNKNOWN, ended, standing, text_of

MANY = tuple(
    TypeStanding(f"type-{number:03}", 4, ran=4 if number < 150 else 0, failed=int(number == 199))
    for number in range(200)
)


def table(width: int = 80, most: int = 20, **more: object) -> str:
    surface = Surface(width)
    return text_of(task_types(standing(**more), surface, most), surface)


def test_a_run_that_goes_on_has_bars_and_who_runs() -> None:
    head, cut, score, total = table().splitlines()

    assert head.split() == ["Tasks", "done", "running", "cached"]
    assert cut.split() == ["cut", "█" * 24, "1/1"]
    assert score.split() == ["score", "██████████▎", "213/500", "2", "3"]
    assert total.split() == ["total", "0/1"]


def test_a_type_that_is_not_known_yet_says_after_whom_it_is() -> None:
    assert "after 'cut' and 'score'" in table(types=(CUT, UNKNOWN))
    assert table(types=(CUT, UNKNOWN)).splitlines()[-1].split()[-1] == "0/?"


def test_a_run_that_is_over_has_no_bars_and_says_who_never_ran() -> None:
    text = text_of(task_types(ended(state=RunState.FAILED, types=(CUT, TOTAL)), Surface(), 20))

    assert "█" not in text
    assert text.splitlines()[0].split() == ["Tasks", "done", "never", "ran"]


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100])
def test_a_table_is_never_wider_than_the_terminal(width: int) -> None:
    full = TypeStanding("a name that is longer than any name should be", 10**6, 1, 2, 3, 4, 5, 6)

    for each in (standing(types=(full, SCORE, UNKNOWN)), ended(types=(full, SCORE))):
        assert all(width_of(line) <= width for line in task_types(each, Surface(width), 20))


def test_failed_types_are_shown_of_two_hundred_and_the_rest_is_counted() -> None:
    text = table(types=MANY, most=10)

    assert len(text.splitlines()) == 12
    assert "type-199" in text
    assert "and 190 more types, 150 of them done" in text


def test_a_type_without_tasks_is_done() -> None:
    assert "█" * 24 in table(types=(TypeStanding("none", 0),))


def test_names_on_several_lines_are_shown_on_one() -> None:
    assert len(table(types=(TypeStanding("a\nb\x1b[2J", 1),)).splitlines()) == 2
