"""Tables that grow: what was added comes back, whatever of it is not known."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies

from longpole.exchange.growing import GrowingTable

cells = strategies.tuples(
    strategies.integers(-(1 << 63), (1 << 63) - 1),
    strategies.none() | strategies.text(max_size=3),
    strategies.none() | strategies.integers(-9, 9),
)


@given(strategies.lists(cells, max_size=20))
def test_rows_come_back_as_they_were_added(rows: list[tuple[int, str | None, int | None]]) -> None:
    table = GrowingTable("edges", ("id", "kind", "bytes"))
    for row in rows:
        table.add(*row)

    assert len(table) == len(rows)
    assert [tuple(row.values()) for row in table.columns().records()] == rows


def test_column_of_which_all_is_known_has_no_marks() -> None:
    table = GrowingTable("totals", ("metric", "value"))
    table.add("cpu_user_ns", 1.5)

    assert table.columns()["value"].known is None


def test_row_with_a_cell_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        GrowingTable("edges", ("id", "kind")).add(1)
