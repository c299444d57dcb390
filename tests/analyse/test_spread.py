"""Mean and standard deviation over repeats, held against numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.spread import spread_of


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=30))
def test_a_spread_is_that_of_a_sample(values: list[float]):
    spread = spread_of(values)

    assert spread is not None
    assert spread.mean == pytest.approx(float(np.mean(values)), rel=1e-9, abs=1e-3)
    assert spread.sd == pytest.approx(float(np.std(values, ddof=1)), rel=1e-6, abs=1e-3)
    assert spread.low <= spread.high


def test_there_is_no_spread_of_nothing():
    assert spread_of([]) is None
