"""Slots as numpy sees them are the slots that are written."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from longpole.log import slots
from longpole.store.derive import records

LAYOUTS = {
    slots.PHASE: slots.PHASE_LAYOUT,
    slots.TEXT: slots.TEXT_LAYOUT,
    slots.PROCESS_SAMPLE: slots.PROCESS_SAMPLE_LAYOUT,
    slots.GAUGE: slots.GAUGE_LAYOUT,
    slots.EXIT_BYTES: slots.EXIT_BYTES_LAYOUT,
    slots.EXIT_TIMES: slots.EXIT_TIMES_LAYOUT,
    slots.FINISH: slots.FINISH_LAYOUT,
    slots.COST: slots.COST_LAYOUT,
    slots.STEP: slots.STEP_LAYOUT,
    slots.REMARK: slots.REMARK_LAYOUT,
}
TYPES = {"B": "|u1", "H": "<u2", "I": "<u4", "i": "<i4", "q": "<i8", "Q": "<u8", "d": "<f8"}


def types_of(layout: struct.Struct) -> list[str]:
    """Return the numpy type of each field of a layout."""
    found, digits = [], ""
    for letter in layout.format.lstrip("<"):
        if letter.isdigit():
            digits += letter
        elif letter == "s":
            found.append(f"|V{digits}")
            digits = ""
        else:
            found.append(TYPES[letter])
    return found


@pytest.mark.parametrize("kind", LAYOUTS)
def test_types_mirror_the_layouts(kind):
    mirrored = records.KINDS[kind]

    assert [mirrored[name].str for name in mirrored.names or ()] == types_of(LAYOUTS[kind])
    assert mirrored.itemsize == slots.SLOT_BYTES


def test_all_layouts_are_mirrored():
    assert set(records.KINDS) == set(LAYOUTS)


def test_slots_are_split_by_kind_in_their_order():
    gauge = slots.GAUGE_LAYOUT.pack(slots.GAUGE, 0, 0, 7, 1, 2, 0.5, 1.5, 2.5, 3.5, 0)
    ends = [slots.FINISH_LAYOUT.pack(slots.FINISH, 0, 0, pid, 1, 2, 9, b"", 0) for pid in (5, 6)]
    unknown = bytes([200]) + bytes(63)

    found = records.split(ends[0] + gauge + unknown + ends[1])

    assert set(found) == {slots.GAUGE, slots.FINISH}
    assert found[slots.FINISH][0]["owner"].tolist() == [5, 6]
    assert found[slots.GAUGE][0][["owner", "fourth"]].tolist() == [(7, 3.5)]
    assert np.arange(4)[found[slots.GAUGE][1]].tolist() == [1]
