from __future__ import annotations

import numpy as np

from longpole.analyse.arrays import column, known, numbers, rows, whole, words
from longpole.model.columns import floats, integers, texts


def test_what_is_not_known_is_nan_among_numbers():
    found = numbers(floats([1.5, None]))

    assert found[0] == 1.5
    assert np.isnan(found[1])
    assert known(floats([1.5, None])).tolist() == [True, False]
    assert known(integers([1, 2])).all()


def test_arrays_come_back_as_columns():
    assert list(column(np.array([1, 2]))) == [1, 2]
    assert list(column(np.array([1.0, 2.0]), np.array([True, False]))) == [1.0, None]
    assert list(column(np.arange(6)[::2])) == [0, 2, 4]
    assert list(words(np.array([1, -1, 0]), ["a", "b"])) == ["b", None, "a"]
    assert list(words(np.array([], np.int64), [])) == []


def test_rows_keep_words_and_what_is_known():
    assert list(rows(texts(["a", None, "b"]), np.array([2, 1]))) == ["b", None]
    assert whole(rows(integers([5, 6, 7]), np.array([0, 2]))).tolist() == [5, 7]
