"""Where a run stands: sums over types of task."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.standing import Standing, TypeStanding

COUNTS = st.lists(st.integers(0, 50), min_size=7, max_size=7)


@given(st.lists(COUNTS, min_size=1, max_size=5))
def test_every_known_task_is_in_one_place(counts: list[list[int]]) -> None:
    types = tuple(TypeStanding(f"type {at}", sum(some), *some[:6]) for at, some in enumerate(counts))
    standing = Standing("0badcafe", "tiles", "links", types=types)
    every = standing.sum

    over = every.done + every.running + every.failed + every.stopped + every.skipped
    assert over + standing.never == standing.known == every.total


def test_no_total_while_one_type_is_not_known() -> None:
    standing = Standing("0badcafe", "tiles", "links", types=(TypeStanding("a", 3), TypeStanding("b")))

    assert (standing.sum.total, standing.known) == (None, 3)
