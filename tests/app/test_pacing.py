"""How fast a run goes: told only when enough was seen, and honestly."""

from __future__ import annotations

import pytest

from longpole.app.pacing import PaceMeter, paced
from longpole.model.standing import Pace, TypeStanding

HALF = TypeStanding("score", 100, ran=50, running=2)


def test_nothing_is_told_of_few_tasks_or_a_short_time() -> None:
    meter = PaceMeter()

    assert meter.pace(0.0, 0, [HALF]) is None
    assert meter.pace(1.0, 50, [HALF]) is None
    assert PaceMeter().pace(9.0, 4, [HALF]) is None


def test_the_pace_is_that_of_the_last_half_minute() -> None:
    meter = PaceMeter()
    for second in range(60):
        meter.pace(float(second), min(second, 20) * 10, [HALF])
    slow = meter.pace(60.0, 206, [HALF])

    assert slow is not None
    assert slow.per_s == pytest.approx(6 / 30)


def test_what_is_left_takes_as_long_as_it_takes_at_this_pace() -> None:
    assert paced(5.0, [HALF]) == Pace(5.0, 10.0, whole=True)


@pytest.mark.parametrize("other", [TypeStanding("total", 1), TypeStanding("later", None)])
def test_types_that_never_ran_make_it_a_lower_bound(other: TypeStanding) -> None:
    assert paced(5.0, [HALF, other]) == Pace(5.0, 10.0, whole=False)


def test_nothing_left_that_was_seen_to_run_is_no_time() -> None:
    assert paced(5.0, [TypeStanding("total", 1)]).left_s is None
