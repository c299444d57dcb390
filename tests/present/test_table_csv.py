"""Tables in CSV: plain numbers in one unit each, which a program reads back as they were."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.result_table import Figure, Row
from longpole.model.text import one_line
from longpole.present.table_csv import csv_table
from tests.present.result_tables import HEADINGS, TABLE


def test_a_table_in_csv_has_units_in_its_header_and_deviations_in_columns():
    assert csv_table(TABLE).splitlines() == [
        "section,task,n,in,read (bytes),read (bytes) sd,CPU %,CPU % sd,time (s),time (s) sd,GPU %",
        '"galaxy, baseline",hpo & train_1,2,node 1,435470000,12300000,1426.22,8.9,75,0.25,',
        '"galaxy, baseline",evaluate,2,,81200,,0,,0.0042,,26.76',
    ]


def test_a_number_that_is_the_same_in_all_repeats_has_no_deviations():
    counted = replace(TABLE.rows[0], figures=(Figure(2.0, 0.0), *TABLE.rows[0].figures[1:]))
    varying = replace(TABLE.rows[0], figures=(Figure(2.0, 0.5), *TABLE.rows[0].figures[1:]))

    assert csv_table(replace(TABLE, rows=(counted,))).startswith("section,task,n,in,")
    assert csv_table(replace(TABLE, rows=(varying,))).startswith("section,task,n,n sd,in,")


def test_a_table_without_sections_has_no_column_for_them():
    rows = tuple(replace(row, section="") for row in TABLE.rows)

    assert csv_table(replace(TABLE, rows=rows)).startswith("task,n,in,")


@given(st.text(max_size=30), st.floats(0, 1e14), st.floats(0, 1e6))
def test_what_is_written_can_be_read_back(name: str, read: float, took: float):
    row = Row("", name, (Figure(1.0), Figure("x"), Figure(read), Figure(1.5), Figure(took), Figure()))

    [found] = csv.DictReader(
        io.StringIO(csv_table(replace(TABLE, rows=(row,), headings=HEADINGS)), newline="")
    )

    assert found["task"] == one_line(name)
    assert float(found["read (bytes)"]) == pytest.approx(read, rel=1e-8, abs=1e-300)
    assert float(found["time (s)"]) == pytest.approx(took, rel=1e-8, abs=1e-300)
