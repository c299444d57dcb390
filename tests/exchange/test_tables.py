from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from longpole.exchange import tables
from longpole.exchange.tables import chunks, write_csv
from longpole.model.columns import Columns, floats, integers, texts


def as_csv(table):
    out = io.StringIO(newline="")
    steps: list[int] = []
    write_csv(out, table, steps.append)
    return out.getvalue(), sum(steps)


def test_a_table_worked_by_hand():
    table = Columns({"id": integers([1, None]), "x": floats([0.1, 2.0]), "name": texts(['say "a, b"', None])})

    assert as_csv(table) == ('id,x,name\r\n1,0.1,"say ""a, b"""\r\n,2.0,\r\n', 2)


def test_an_empty_table_is_its_header():
    assert as_csv(Columns({"id": integers([]), "name": texts([])})) == ("id,name\r\n", 0)


@given(
    st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.text(st.characters(codec="utf-8")),
        ),
        max_size=20,
    )
)
def test_a_reader_finds_every_value_as_it_was(rows):
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    table = Columns({"i": integers(columns[0]), "f": floats(columns[1]), "t": texts(columns[2])})

    read = list(csv.reader(io.StringIO(as_csv(table)[0], newline="")))[1:]

    assert [(int(i), float(f), t) for i, f, t in read] == rows


def test_rows_come_in_chunks(monkeypatch):
    monkeypatch.setattr(tables, "_CHUNK", 2)
    table = Columns({"id": integers([1, 2, 3]), "name": texts(["a", None, "a"])})

    assert list(chunks(table)) == [[(1, "a"), (2, None)], [(3, "a")]]
