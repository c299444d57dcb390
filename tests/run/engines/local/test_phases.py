"""Phases put together from what workers tell."""

from __future__ import annotations

from pathlib import Path

from longpole.model.staging import Item
from longpole.run.engines.local.phases import note_short
from longpole.run.engines.local.short_jobs import Answer
from longpole.run.engines.opened import OpenJob
from longpole.store.derive.workflow_notes import Part
from tests.run.engines.local.alone import job, shell


def plain(folder: Path | None) -> OpenJob:
    opened = job(folder)
    order = shell("true")
    order.inputs = (Item("in", "/in"), Item("more", "/more"))
    opened.orders = {0: order}
    return opened


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
