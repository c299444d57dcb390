from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.present.axis import axis_lines, ticks


@given(st.floats(1e-9, 1e9), st.integers(1, 20))
def test_moments_are_round_even_and_within_the_run(length_s: float, most: int) -> None:
    found = ticks(length_s, most)

    assert found[0].at_s == 0
    assert len(found) <= most + 1
    assert found[-1].at_s <= length_s * (1 + 1e-5)
    assert len({tick.label for tick in found}) == len(found)
    assert len({tick.label.split()[1] for tick in found}) == 1


@pytest.mark.parametrize(
    ("length_s", "last"), [(0.0042, "4 ms"), (141.0, "100 s"), (1000.0, "15 min"), (90_000.0, "24 h")]
)
def test_unit_fits_the_length(length_s: float, last: str) -> None:
    assert ticks(length_s, 4)[-1].label == last


@given(st.floats(1e-6, 1e7), st.integers(20, 90))
def test_labels_are_apart_and_fit(length_s: float, columns: int) -> None:
    drawn, labels = axis_lines(length_s, columns, blocks=True)

    assert len(drawn) == columns
    assert len(labels) <= columns
    assert labels.startswith("0 ")
