"""The pace of sampling: within its share, and never faster than asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.record.pace import SHARE, Pace


@given(st.floats(0.01, 10), st.lists(st.floats(0, 1), max_size=100))
def test_never_faster_than_asked_and_never_slower_than_a_second(asked_s: float, shares: list[float]) -> None:
    pace = Pace(asked_s, fixed=False)
    for share in shares:
        assert asked_s <= pace.adjust(share) <= max(asked_s, 1.0)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_rate_that_the_user_chose_is_kept(shares: list[float]) -> None:
    pace = Pace(0.1, fixed=True)

    assert all(pace.adjust(share) == 0.1 for share in shares)


@given(st.floats(0.0001, 0.003))
def test_it_settles_at_the_share(cost_s: float) -> None:
    pace = Pace(0.1, fixed=False)
    for _ in range(100):
        pace.adjust(cost_s / pace.interval_s)

    assert cost_s / pace.interval_s <= SHARE * 1.25 or pace.interval_s == 1.0
