from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.intervals import Intervals
from longpole.analyse.lives import lives_of

LIVES = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=6)


def of(rows):
    starts = np.array([start for start, _ in rows])
    return lives_of(np.arange(1, len(rows) + 1), starts, starts + np.array([length for _, length in rows]))


def test_what_is_outside_of_a_life_or_of_nobody_is_left_out():
    lives = lives_of(np.array([4, 9]), np.array([10, 0]), np.array([20, 5]))
    found, kept = lives.laid(
        Intervals(np.array([9, 4, 4, 7]), np.array([1, 15, 30, 0]), np.array([3, 25, 40, 9]))
    )

    assert kept.tolist() == [0, 1]
    assert (found.row.tolist(), found.start.tolist(), found.end.tolist()) == ([1, 0], [12, 5], [14, 10])


@given(LIVES)
def test_lives_never_meet_and_their_clocks_come_back(rows):
    lives = of(rows)
    found, _ = lives.laid(Intervals(lives.process, lives.start, lives.end))

    assert (found.start[1:] > found.end[:-1]).all()
    assert lives.clock(found.start).tolist() == lives.start.tolist()
    assert lives.clock(found.end).tolist() == lives.end.tolist()


def test_nobody_has_no_life():
    found, kept = lives_of(*[np.zeros(0, np.int64)] * 3).laid(Intervals(*[np.arange(2)] * 3))

    assert len(found) == len(kept) == 0
