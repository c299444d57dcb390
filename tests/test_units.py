"""Units as people write and read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.errors import UsageError
from longpole.units import parse_size, parse_span, show_bytes, show_seconds


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("1.5 GB", 1_500_000_000), ("2KiB", 2048), ("3m", 3 << 20), ("7 b", 7)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "1 XB", "-1MB", "one MB", "1e999 GB", "nan"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="size"):
        parse_size(text)


@pytest.mark.parametrize("text", ["", "30", "d", "1 year", "-", "-1d", "nan d", "inf d"])
def test_what_is_no_span_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="30d"):
        parse_span(text)


@given(st.floats(0, 1e18))
def test_any_size_can_be_shown_in_few_letters(size: float) -> None:
    assert 3 <= len(show_bytes(size)) <= 8


@given(st.floats(0, 1e9))
def test_any_span_can_be_shown_in_few_letters(seconds: float) -> None:
    assert 3 <= len(show_seconds(seconds)) <= 17
