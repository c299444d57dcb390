"""``longpole gc``: removes what is old and over."""

from __future__ import annotations

import json
import os
import time

import pytest

from tests.app.housekeeping import Desk
from tests.builders import RUNNING, HandmadeRun, small_run


def stamp(days_ago: float) -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() - days_ago * 86400))


@pytest.fixture
def desk(tmp_path, capsys) -> Desk:
    for identity, age in (("aaaa", 40), ("bbbb", 20), ("cccc", 0)):
        small_run(tmp_path, identity=identity, stamp=stamp(age))
    return Desk(tmp_path, capsys)


def left(desk: Desk) -> list[str]:
    return sorted(path.name[-4:] for path in desk.runs.iterdir())


def test_runs_older_than_asked_are_removed(desk):
    done = desk.call("gc", "--older-than", "30d")

    assert (done.code, left(desk)) == (0, ["bbbb", "cccc"])
    assert done.err.startswith("1 of 3 runs removed, ")


def test_a_dry_run_removes_nothing_and_names_the_runs(desk):
    done = desk.call("gc", "--older-than", "10d", "--dry-run")

    assert left(desk) == ["aaaa", "bbbb", "cccc"]
    assert [line[-4:] for line in done.out.splitlines()] == ["aaaa", "bbbb"]


def test_json_says_what_was_removed(desk):
    data = json.loads(desk.call("gc", "--older-than", "10d", "--json").out)

    assert (data["schema_version"], data["dry_run"], data["kept"]) == (1, False, 1)
    assert [run["run"] for run in data["removed"]] == ["aaaa", "bbbb"]
    assert data["bytes"] > 1000


def test_an_old_run_still_going_stays(desk):
    HandmadeRun(desk.runs, identity="dddd", stamp=stamp(90), **RUNNING).log().__exit__()

    desk.call("gc", "--older-than", "1h")

    assert left(desk) == ["cccc", "dddd"]


def test_a_run_without_a_start_goes_by_the_age_of_its_folder(desk):
    for identity, days in (("dddd", 50), ("eeee", 0)):
        run = small_run(desk.runs, identity=identity, stamp="unknown-stamp")
        (run.path / "run.json").unlink()
        old = time.time() - days * 86400
        os.utime(run.path, (old, old))

    desk.call("gc", "--older-than", "30d")

    assert left(desk) == ["bbbb", "cccc", "eeee"]


def test_other_folders_and_links_stay(desk, tmp_path_factory):
    (desk.runs / "thesis").mkdir()
    elsewhere = small_run(tmp_path_factory.mktemp("x"), identity="ffff", stamp=stamp(99))
    (desk.runs / elsewhere.path.name).symlink_to(elsewhere.path)
    os.utime(desk.runs / "thesis", (0, 0))

    desk.call("gc", "--older-than", "1min")

    assert (desk.runs / "thesis").is_dir()
    assert elsewhere.path.is_dir()


@pytest.mark.parametrize("span", ["soon", "-3", "", "3 fortnights"])
def test_a_span_that_is_none_is_refused(desk, span):
    done = desk.call("gc", "--older-than", span)

    assert (done.code, left(desk)) == (2, ["aaaa", "bbbb", "cccc"])


def test_the_age_must_be_given(desk):
    assert desk.call("gc").code == 2
