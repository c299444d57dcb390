from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.packing import packed
from longpole.analyse.profile import profile

SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=40)


@given(SPANS)
def test_rows_are_as_few_as_ran_at_once_and_none_overlaps(spans: list[tuple[int, int]]) -> None:
    ordered = sorted((start, start + took) for start, took in spans)
    starts, ends = (np.array([span[at] for span in ordered], np.int64) for at in (0, 1))

    rows = packed(starts, ends)

    for row in set(rows.tolist()):
        here = rows == row
        assert (starts[here][1:] >= ends[here][:-1]).all()
    longer = ends > starts
    if longer.any():
        assert len(set(rows[longer].tolist())) <= profile(starts, ends).peak + int((~longer).sum())
    if longer.all() and len(spans):
        assert rows.max() + 1 == profile(starts, ends).peak
