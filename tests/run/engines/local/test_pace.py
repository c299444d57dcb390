"""How tasks are handed out by how long they take."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.run.engines.local.pace import Pace

MS = 1_000_000


def paced(took_ms: list[float], workers: int = 2) -> Pace:
    pace = Pace(workers)
    for each in took_ms:
        pace.note(int(each * MS))
    return pace


def test_tasks_wait_at_workers_only_where_they_are_short() -> None:
    assert paced([]).ahead == 0
    assert paced([1.0]).ahead == 8
    assert paced([1.0], workers=3).ahead == 12
    assert paced([1000.0]).ahead == 0


def test_many_short_tasks_outweigh_a_long_one() -> None:
    assert paced([1.0] * 10 + [1000.0]).ahead == 0
    assert paced([1.0] * 10 + [1000.0] + [1.0] * 30).ahead == 8


def test_we_wait_for_several_only_while_workers_have_enough_to_do() -> None:
    pace = paced([1.0] * 100)  # about 1 ms each

    assert pace.gather_s(0) == pace.gather_s(2) == 0.0
    assert 0.0004 < pace.gather_s(4) < 0.0006  # half of what keeps two workers busy
    assert pace.gather_s(100) == 0.0008


@given(st.lists(st.floats(0, 1e6), max_size=30), st.integers(1, 64), st.integers(0, 1000))
def test_the_wait_is_never_long_nor_longer_than_the_work_that_waits(took_ms, workers, asked) -> None:
    pace = paced(took_ms, workers)

    assert 0.0 <= pace.gather_s(asked) <= 0.0008
    assert asked > workers or pace.gather_s(asked) == 0.0
