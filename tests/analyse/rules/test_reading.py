"""Files that were read and waiting for them, by hand."""

from __future__ import annotations

import pytest

from longpole.analyse.rules.reading import Files, data_files, reading_places, waiting
from tests.analyse.planted import Planted


def test_files_are_counted_by_opens():
    planted = Planted(1.0)
    planted.opened("/data/a", 100, times=3)
    planted.opened("/data/b", 300)
    planted.opened("/usr/lib/libm.so.6", 1_000_000, times=50)
    planted.opened("/home/ada/fit.py", 2_000)

    files = data_files(planted.case())

    assert files == Files(count=2, opens=4, size_bytes=400, opened_bytes=600)
    assert files.mean_bytes == 150.0
    assert files.repeats == pytest.approx(1 / 3)


def test_what_reads_is_told_by_kind_or_mark():
    planted = Planted(10.0)
    names = [("data", "x"), ("stage_in", "x"), ("phase", "Load data"), ("phase", "read")]
    others = [("phase", "ready"), ("process", "read"), ("phase", "fit"), ("phase", "upload")]
    for at, (kind, name) in enumerate(names + others):
        planted.phase(kind, name, at, at + 1.0)

    assert reading_places(planted.case()).tolist() == [1, 2, 3, 4]


def test_a_phase_waits_no_more_than_its_process_is_idle():
    planted = Planted(10.0)
    planted.phase("phase", "a", 0.0, 5.0, process=1)
    planted.phase("phase", "b", 5.0, 10.0, process=1)
    planted.sample("cpu", "used", 0.0, 5.0, 0.9, scope="process", owner=1)
    planted.sample("pressure", "io some", 0.0, 10.0, 0.6, owner=1)
    planted.sample("pressure", "io full", 0.0, 10.0, 0.4, owner=1)

    found = waiting(planted.case())

    assert found.most.tolist() == pytest.approx([0.0, 0.1, 0.6])
    assert found.likely.tolist() == pytest.approx([0.0, 0.1, 0.5])


def test_a_reading_phase_waits_while_the_run_is_idle():
    planted = Planted(10.0)
    planted.phase("data", "data", 0.0, 5.0, process=1)
    planted.phase("phase", "b", 5.0, 10.0, process=1)
    planted.sample("cpu", "used", 0.0, 5.0, 0.2, scope="process", owner=1)
    planted.sample("cpu", "used", 0.0, 5.0, 0.5, scope="process", owner=2)

    found = waiting(planted.case())

    assert found.likely.tolist() == pytest.approx([0.0, 0.3, 0.0])
    assert found.accounted.tolist() == [0.0, 0.0, 0.0]
