"""``longpole ls``: which runs there are."""

from __future__ import annotations

import json

import pytest

from longpole.app.listing import age
from tests.app.housekeeping import Desk
from tests.builders import RUNNING, HandmadeRun, small_run
from tests.running import bench_of


@pytest.fixture
def desk(tmp_path, capsys) -> Desk:
    return Desk(tmp_path / "runs", capsys)


def test_runs_are_lines_the_newest_last(desk):
    small_run(desk.runs, identity="bbbb", name="infer", stamp="20260102T000000Z", exit_code=3)
    small_run(desk.runs, identity="aaaa", name="train", stamp="20260101T000000Z")
    HandmadeRun(desk.runs, identity="cccc", stamp="20260103T000000Z", exit_code=137, signal=9)
    HandmadeRun(desk.runs, identity="dddd", stamp="20260104T000000Z", **RUNNING)
    HandmadeRun(desk.runs, identity="eeee", stamp="20260105T000000Z", **RUNNING).log().__exit__()
    HandmadeRun(desk.runs, identity="ffff", stamp="20260106T000000Z", exit_code=None)

    head, *lines = desk.call("ls").out.splitlines()

    assert head.split() == ["run", "name", "started", "took", "ended", "size", "command"]
    assert [line.split()[0] for line in lines] == ["aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff"]
    endings = ("ok", "exit 3", "signal 9", "broken off", "running", "recorded")
    for line, ending in zip(lines, endings, strict=True):
        assert f" {ending} " in line
        assert line.endswith("made by hand")


def test_json_has_all_that_is_known(desk):
    small_run(desk.runs, name="train")

    data = json.loads(desk.call("ls", "--json").out)

    assert (data["schema_version"], data["folder"]) == (1, str(desk.runs))
    (run,) = data["runs"]
    assert (run["run"], run["name"], run["state"], run["exit_code"], run["problem"]) == (
        "0badcafe",
        "train",
        "finished",
        0,
        None,
    )
    assert run["bytes"] > 1000


def test_runs_of_one_name_can_be_chosen(desk):
    small_run(desk.runs, identity="aaaa", name="train")
    small_run(desk.runs, identity="bbbb", name="infer")

    assert [run["run"] for run in json.loads(desk.call("ls", "--json", "--name", "infer").out)["runs"]] == [
        "bbbb"
    ]


def test_a_damaged_run_is_listed_with_what_is_wrong(desk):
    run = small_run(desk.runs)
    (run.path / "run.json").write_text("\x00")

    done = desk.call("ls")

    assert done.code == 0
    assert "damaged" in done.out
    assert "is not a manifest" in done.out


def test_hostile_names_do_not_reach_the_terminal(desk):
    run = small_run(desk.runs)
    run.save(name="a\x1b[2Jb", command=["\x1b]0;x\x07", "[red]"])

    out = desk.call("ls").out

    assert "\x1b" not in out
    assert "a\\x1b[2Jb" in out
    assert "[red]" in out


def test_no_runs_is_said_on_standard_error(desk):
    done = desk.call("ls")

    assert (done.code, done.out) == (0, "")
    assert "There are no runs" in done.err


def test_ages_never_look_into_the_future():
    assert age(-5) == "just now"


def test_runs_that_are_closed_to_us_do_not_keep_others_from_being_listed() -> None:
    with bench_of(nobody=True) as bench:
        HandmadeRun(bench.someone.runs, "bbbb2222", "closed")
        opened = HandmadeRun(bench.someone.runs, "aaaa1111", "opened").path
        for path in (opened, *opened.iterdir()):
            path.chmod(0o755)

        listed = bench.call("ls")

    assert listed.returncode == 0, listed.stderr
    assert ("aaaa1111" in listed.stdout, "bbbb2222" in listed.stdout) == (True, False)
