"""Slots: all of one size, and texts cut into them."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from longpole.log import slots


def test_every_layout_fills_one_slot():
    layouts = [
        value
        for name, value in vars(slots).items()
        if isinstance(value, struct.Struct) and name != "RING_HEADER_LAYOUT"
    ]

    assert len(layouts) == 8
    assert {layout.size for layout in layouts} == {slots.SLOT_BYTES}


@given(st.binary(max_size=500))
def test_parts_of_a_text_join_to_the_text(text):
    parts = slots.text_parts(text)

    assert b"".join(parts) == text
    assert parts
    assert all(len(part) <= slots.TEXT_PART_BYTES for part in parts)
