"""Cells of tables: three digits, and deviations that can be read beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.result_table import Figure, Heading, Quantity, Scale
from longpole.present.table_cells import deviation_text, number_text, value_text

SECONDS = Heading("time_s", "time", Quantity.SECONDS, Scale.SECONDS)
COUNT = Heading("jobs", "jobs", Quantity.COUNT)
FREE = Heading("read_bytes", "read", Quantity.BYTES)


@pytest.mark.parametrize(
    ("figure", "heading", "value", "deviation"),
    [
        (Figure(135.21, 2.0), SECONDS, "135", "2"),
        (Figure(2.031, 0.0042), SECONDS, "2.03", "0.004"),
        (Figure(0.494, 0.084), SECONDS, "0.494", "0.084"),
        (Figure(12.0), COUNT, "12", ""),
        (Figure(28_793.0), COUNT, "28,793", ""),
        (Figure(4.5, 2.1), COUNT, "4.50", "2.10"),
        (Figure(1e6, 2e3), FREE, "1 MB", "2 kB"),
        (Figure("12, 16"), COUNT, "12, 16", ""),
        (Figure(), SECONDS, "-", ""),
    ],
)
def test_a_cell_reads_as_a_person_writes_it(figure: Figure, heading: Heading, value: str, deviation: str):
    assert (value_text(figure, heading), deviation_text(figure, heading)) == (value, deviation)


@given(st.floats(1e-9, 1e15))
def test_a_number_is_right_to_three_digits(value: float):
    assert float(number_text(value).replace(",", "")) == pytest.approx(value, rel=0.006)
