"""``longpole rm``: removes what is named, and nothing if one is not there."""

from __future__ import annotations

import json

import pytest

from tests.app.housekeeping import Desk
from tests.builders import RUNNING, HandmadeRun, small_run


@pytest.fixture
def desk(tmp_path, capsys) -> Desk:
    for identity in ("aaaa", "bbbb", "cccc"):
        small_run(tmp_path / "runs", identity=identity)
    return Desk(tmp_path / "runs", capsys)


def left(desk: Desk) -> list[str]:
    return sorted(path.name[-4:] for path in desk.runs.iterdir())


def test_named_runs_are_removed_without_a_question(desk):
    done = desk.call("rm", "aaaa", "cc")

    assert (done.code, done.out, left(desk)) == (0, "", ["bbbb"])


def test_a_run_named_twice_is_removed_once(desk):
    data = json.loads(desk.call("rm", "aaaa", "aaa", "--json").out)

    assert [run["run"] for run in data["removed"]] == ["aaaa"]
    assert data["schema_version"] == 1


def test_nothing_is_removed_if_one_is_not_there(desk):
    done = desk.call("rm", "aaaa", "nosuch")

    assert (done.code, left(desk)) == (2, ["aaaa", "bbbb", "cccc"])
    assert "No run 'nosuch'" in done.err


def test_a_run_elsewhere_is_not_removed(desk, tmp_path):
    elsewhere = small_run(tmp_path / "elsewhere", identity="dddd")

    done = desk.call("rm", str(elsewhere.path))

    assert done.code == 2
    assert elsewhere.path.is_dir()


def test_a_run_still_going_needs_force(desk):
    HandmadeRun(desk.runs, identity="dddd", **RUNNING).log().__exit__()

    done = desk.call("rm", "aaaa", "dddd")
    assert (done.code, "still going" in done.err, left(desk)) == (2, True, ["aaaa", "bbbb", "cccc", "dddd"])

    assert desk.call("rm", "dddd", "--force").code == 0
    assert left(desk) == ["aaaa", "bbbb", "cccc"]
