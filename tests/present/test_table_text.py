"""Tables on a terminal: within its width, nothing cut, and what is missing said below."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.result_table import Figure, Row
from tests.present.result_tables import HEADINGS, TABLE, drawn

WHOLE = """
 What jobs used

 task             n  in      read MB  CPU %        time  GPU %
 galaxy, baseline
   hpo & train_1  2  node 1      435  1,426  1 min 15 s      -
                                ± 12    ± 9    ± 250 ms
   evaluate       2           0.0812      0      4.2 ms   26.8

   -        GPU %: no GPU was assigned to it.

 Notes      ± is the standard deviation over n runs.

"""


def test_a_table_is_drawn_with_deviations_below_figures_and_reasons_below_all():
    assert drawn(TABLE) == WHOLE


def test_columns_stand_below_what_they_are_called():
    head, _, row = drawn(TABLE).splitlines()[3:6]

    assert head.index("in") == row.index("node 1")
    assert head.index("read MB") + len("read MB") == row.index("435") + len("435")


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100])
def test_a_narrow_terminal_has_the_table_in_pieces(width: int):
    text = drawn(TABLE, width)

    assert max(map(len, text.splitlines())) <= width
    for title in ("read MB", "CPU %", "GPU %"):
        assert title in text
    assert text.count("evaluate") == text.count("task ")


def test_a_long_name_stands_above_its_figures_and_is_not_cut():
    name = "NFCORE_RNASEQ.RNASEQ.FASTQ_FASTQC_UMITOOLS_TRIMGALORE.TRIMGALORE"
    table = replace(TABLE, rows=(replace(TABLE.rows[1], name=name),))

    lines = drawn(table).splitlines()

    at = lines.index(f"   {name}")
    assert "0.0812" in lines[at + 1]


def test_a_terminal_without_such_letters_has_others():
    text = drawn(TABLE, encoding="ascii")

    assert "+- 12" in text
    assert "+- is the standard deviation" in text


def test_a_table_without_rows_says_what_there_is_to_say():
    text = drawn(replace(TABLE, rows=(), gaps=(), notes=("There is nothing.",)))

    assert [line for line in text.splitlines() if line.strip()] == [
        " What jobs used",
        " Notes      There is nothing.",
    ]


def test_control_characters_of_a_name_are_spelt_out():
    table = replace(TABLE, rows=(replace(TABLE.rows[0], name="a\x1b[2J\nb", section="x\x07"),))

    text = drawn(table)

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "a\\x1b[2J b" in text


@given(
    st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4),
    st.lists(st.floats(0, 1e12), min_size=6, max_size=6),
    st.integers(40, 100),
)
def test_any_names_and_figures_can_be_drawn(names: list[str], values: list[float], width: int):
    cells = tuple(Figure(value, value / 7 or None) for value in values)
    rows = tuple(Row("", name, (cells[0], Figure("x"), *cells[2:])) for name in names)

    text = drawn(replace(TABLE, rows=rows, headings=HEADINGS), width)

    assert text.startswith("\n What jobs used\n")
