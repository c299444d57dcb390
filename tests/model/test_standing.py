"""Where a run stands: sums over types of task."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.standing import Standing, TypeStanding

COUNT = st.integers(0, 50)
TYPES = st.lists(
    st.builds(
        TypeStanding,
        name=st.just("type"),
        total=st.integers(300, 400),
        ran=COUNT,
        cached=COUNT,
        running=COUNT,
        failed=COUNT,
        stopped=COUNT,
        skipped=COUNT,
    ),
    min_size=1,
    max_size=5,
)


@given(TYPES)
def test_every_known_task_is_in_one_place(types: list[TypeStanding]) -> None:
    standing = Standing("0badcafe", "tiles", "links", types=tuple(types))
    every = standing.sum

    over = every.done + every.running + every.failed + every.stopped + every.skipped
    assert over + standing.never == standing.known == every.total


def test_no_total_while_one_type_is_not_known() -> None:
    standing = Standing("0badcafe", "tiles", "links", types=(TypeStanding("a", 3), TypeStanding("b")))

    assert (standing.sum.total, standing.known) == (None, 3)
