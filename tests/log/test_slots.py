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

    assert len(layouts) == 11
    assert {layout.size for layout in layouts} == {slots.SLOT_BYTES}


@given(st.binary(max_size=500))
def test_parts_of_a_text_join_to_the_text(text):
    parts = slots.text_parts(text)

    assert b"".join(parts) == text
    assert parts
    assert all(len(part) <= slots.TEXT_PART_BYTES for part in parts)


@given(st.integers(min_value=0, max_value=1 << 62))
def test_duration_lies_in_its_bin(duration_ns):
    index = slots.bin_of(duration_ns)

    assert index == 0 or slots.bin_start(index) <= duration_ns
    assert index == slots.BINS - 1 or duration_ns < slots.bin_start(index + 1)


def test_bins_are_a_quarter_of_a_doubling_wide():
    starts = [slots.bin_start(index) for index in range(slots.BINS)]

    assert starts == sorted(set(starts))
    assert all(starts[index + 4] == 2 * starts[index] for index in range(slots.BINS - 4))


def test_step_as_words_is_the_step_as_fields():
    words = (9 | 1 << 8 | 3 << 16 | 7 << 32, 5 | 6 << 32, 99, 10 | 1 << 32, 2, 3 | 4 << 32, 0, 12)

    fields = slots.STEP_LAYOUT.unpack(slots.STEP_WORDS.pack(*words))

    assert fields == (9, 1, 3, 7, 5, 6, 99, 10, 1, 2, 0, 3, 4, 0, 0, 12)
