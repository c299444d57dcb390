"""Parameters in a log: all of them fit into one note, however long they are."""

from __future__ import annotations

import msgspec

from longpole.run.chosen_parameters import told_parameters
from longpole.store.derive.workflow_notes import Driver


def test_a_long_list_is_cut_and_says_so():
    [(name, text)] = told_parameters({"images": tuple(f"image-{at}.jpg" for at in range(30_000))})

    assert name == "images"
    assert len(text) < 600
    assert text.endswith(" characters)")


def test_more_parameters_than_a_note_can_hold_are_left_out():
    told = told_parameters({f"p{at}": "x" * 1000 for at in range(5000)})
    note = Driver(1, 2, "w", "links", parameters=told)

    assert len(msgspec.json.encode(note)) < 1 << 18
    assert msgspec.json.decode(msgspec.json.encode(note), type=Driver) == note
