"""Opened files: one row for each file, and one for each process that opened it."""

from __future__ import annotations

from tests.builders import HandmadeRun, ms, utc


def test_files_and_who_opened_them(tmp_path):
    run = HandmadeRun(tmp_path)
    with run.log() as log:
        log.process(1)
        log.process(2, start=1)
        log.process(3, start=2)
        log.ring(4, 3, hello={"role": "launcher"})
        log.note("opened", number=1, path="/in", times=3, first=ms(10), written=0, bytes=-1)
        log.note("opened", number=1, path="/out", times=1, first=ms(20), written=True, bytes=512)
        log.note("opened", number=2, path="/out", times=2, first=ms(30), written=0, bytes=-1)
        log.note("opened", number=3, path="/recorder", times=2, first=ms(30), written=0, bytes=-1)
        log.note("opened", number=9, path="/unknown", times=2, first=ms(30), written=0, bytes=-1)

    stored = run.open()

    assert list(stored.table("files", ["name", "bytes", "producer"]).records()) == [
        {"name": "/in", "bytes": None, "producer": None},
        {"name": "/out", "bytes": 512, "producer": 1},
    ]
    assert list(stored.table("opens").records()) == [
        {"process": 1, "file": 1, "times": 3, "first_ns": utc(10), "written": 0, "task": None},
        {"process": 1, "file": 2, "times": 1, "first_ns": utc(20), "written": 1, "task": None},
        {"process": 2, "file": 2, "times": 2, "first_ns": utc(30), "written": 0, "task": None},
    ]
