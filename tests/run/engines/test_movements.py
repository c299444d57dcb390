"""Phases put together from what carriers tell."""

from __future__ import annotations

from longpole.model.staging import Moved, Transfer
from longpole.run.engines.movements import note_moved
from longpole.store.derive.workflow_notes import Part

MOVED = Moved((Transfer("a", 10, 20, 1, 5), Transfer("pack", 20, 30, 3, 7)))
BEFORE = Part("exec", 1, 2)


def test_a_movement_is_a_phase_with_each_transfer_within_it() -> None:
    parts = [BEFORE]
    note_moved(parts, Part("stage_in", 9, 31, name="copy"), MOVED)

    assert parts == [
        BEFORE,
        Part("stage_in", 9, 31, bytes=12, count=4, name="copy"),
        Part("transfer", 10, 20, bytes=5, count=1, name="a", within=1),
        Part("transfer", 20, 30, bytes=7, count=3, name="pack", within=1),
    ]


def test_where_nothing_is_moved_single_files_are_no_phases() -> None:
    parts: list[Part] = []
    note_moved(parts, Part("stage_in", 9, 31, name="hardlink"), MOVED)

    assert [part.kind for part in parts] == ["stage_in"]
