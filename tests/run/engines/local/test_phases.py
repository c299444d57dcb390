"""Phases put together from what carriers and workers tell."""

from __future__ import annotations

from pathlib import Path

from longpole.model.staging import Item, Moved, Transfer
from longpole.run.engines.local.phases import note_moved, note_short
from longpole.run.engines.local.short_jobs import Answer
from longpole.run.engines.opened import OpenJob
from longpole.store.derive.workflow_notes import Part
from tests.run.engines.local.alone import job, shell

MOVED = Moved((Transfer("a", 10, 20, 1, 5), Transfer("pack", 20, 30, 3, 7)))
BEFORE = Part("exec", 1, 2)


def plain(folder: Path | None) -> OpenJob:
    opened = job(folder)
    order = shell("true")
    order.inputs = (Item("in", "/in"), Item("more", "/more"))
    opened.orders = {0: order}
    return opened


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


def test_a_job_that_a_worker_did_has_the_phases_it_tells(tmp_path: Path) -> None:
    opened = plain(tmp_path)
    note_short(opened, Answer((1, 2, 3, 4), pid=9, used=(1, 2), made=(("out", 5, "sum"),)))

    assert opened.parts == [
        Part("stage_in", 1, 2, 0, 0, 0, 2, name="link"),
        Part("exec", 2, 3, 0, 0, -1, 0, 9, 1, (1, 2)),
        Part("stage_out", 3, 4, 0, 0, 0, 1, name="link"),
    ]
    assert (opened.began_ns, opened.ended_ns) == (1, 4)


def test_what_the_engine_has_to_put_away_has_no_end_yet_and_no_folder_no_files() -> None:
    opened = plain(None)
    note_short(opened, Answer((1, 2, 3, 4), pid=9, status=256, made=None))

    assert [(part.kind, part.status) for part in opened.parts] == [("exec", 1)]
    assert (opened.began_ns, opened.ended_ns) == (1, 0)
