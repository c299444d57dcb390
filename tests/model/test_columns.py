"""Columns: typed, of one length, immutable, and free to share."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from longpole.model.columns import Column, Columns, ColumnsError, floats, integers, texts


def test_values_come_back_with_what_is_not_known() -> None:
    assert list(integers([1, None, -3])) == [1, None, -3]
    assert list(floats([0.5, None])) == [0.5, None]
    assert list(texts(["a", None, "a"])) == ["a", None, "a"]


def test_records_are_rows() -> None:
    table = Columns({"n": integers([1, 2]), "name": texts(["x", "y"])})

    assert list(table.records()) == [{"n": 1, "name": "x"}, {"n": 2, "name": "y"}]
    assert (table.rows, len(table)) == (2, 2)


def test_buffers_go_to_numpy_without_a_copy_and_cannot_be_changed() -> None:
    source = array("q", [1, 2, 3])
    column = Column(memoryview(source))
    shared = np.asarray(column.values)
    source[0] = 9

    assert shared[0] == 9
    with pytest.raises(ValueError, match="read-only"):
        shared[1] = 5


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ColumnsError, match="differ in length"):
        Columns({"a": integers([1]), "b": integers([1, 2])})


def test_marks_of_another_length_and_odd_buffers_are_refused() -> None:
    with pytest.raises(ColumnsError, match="marks"):
        Column(memoryview(array("q", [1, 2])), known=memoryview(b"\1"))
    with pytest.raises(ColumnsError, match="flat buffer"):
        Column(memoryview(b"abcd").cast("B", (2, 2)))


def test_table_without_columns_has_no_rows() -> None:
    assert Columns({}).rows == 0
