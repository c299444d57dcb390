"""Tables in Markdown: the rows that a reader of Markdown finds, whatever is in a name."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from longpole.present.table_markdown import markdown_table
from tests.present.result_tables import TABLE


def test_a_table_in_markdown_has_a_line_for_each_row_and_its_notes_below():
    assert markdown_table(TABLE).splitlines() == [
        "**What jobs used**",
        "",
        "| task | n | in | read MB | CPU % | time | GPU % |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: |",
        "| **galaxy, baseline** |  |  |  |  |  |  |",
        r"| hpo & train\_1 | 2 | node 1 | 435 ± 12 | 1,426 ± 9 | 1 min 15 s ± 250 ms | - |",
        "| evaluate | 2 |  | 0.0812 | 0 | 4.2 ms | 26.8 |",
        "",
        "- `-` GPU %: no GPU was assigned to it.",
        "- ± is the standard deviation over n runs.",
    ]


@given(st.text(max_size=40))
def test_any_name_stays_in_its_cell(name: str):
    row = markdown_table(replace(TABLE, rows=(replace(TABLE.rows[1], name=name),))).splitlines()[5]

    cells = row.replace("\\\\", "").replace("\\|", "").count("|")
    assert cells == len(TABLE.headings) + 2
