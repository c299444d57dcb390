"""JSON without ``json``."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from longpole.record.json_text import json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_it_says_what_json_would_say(value: object) -> None:
    assert json.loads(json_text(value)) == value


def test_what_json_cannot_say_is_null() -> None:
    assert json_text([float("nan"), float("inf")]) == "[null,null]"
