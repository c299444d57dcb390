"""Checkpoints: kept after an attempt that failed, and brought to the next one, as a copy."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from longpole.model.workflow import Workflow
from longpole.run.locations import Locations
from tests.run.driven import Driven

# Counts on from a checkpoint; a damaged one would be no number, and stop it.
COUNT = """
longpole: 1
name: counts
tasks:
  counts:
    run: "n=$(cat state 2>/dev/null || echo 0); n=$((n + 1)); echo $n > state; echo $n >> %s/seen;
      test $n -ge 3; cp state {out}"
    outputs: {out: end}
    checkpoints: [state]
    retry: {times: %d}
"""


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    return Driven(tmp_path)


def seen(driven: Driven) -> list[str]:
    return (driven.folder / "seen").read_text().split()


@pytest.mark.parametrize("placement", ["links", "baseline"])
def test_each_attempt_goes_on_where_the_last_one_ended(driven: Driven, placement: str):
    driven.write(workflow__yaml=COUNT % (driven.folder, 3)).drive(placement=placement)

    assert seen(driven) == ["1", "2", "3"]
    assert (driven.out / "end").read_text() == "3\n"


def test_who_goes_on_with_a_run_has_the_checkpoint_of_the_attempt_that_was_given_up(driven: Driven):
    driven.write(workflow__yaml=COUNT % (driven.folder, 0)).drive(1).drive(1).drive()

    assert seen(driven) == ["1", "2", "3"]


UNFINISHED = COUNT.replace("checkpoints:", "unfinished:")


@pytest.mark.parametrize("placement", ["links", "baseline", "clustering"])
def test_what_an_attempt_leaves_unfinished_is_for_its_next_attempt(driven: Driven, placement: str):
    driven.write(workflow__yaml=UNFINISHED % (driven.folder, 3)).drive(placement=placement)

    assert seen(driven) == ["1", "2", "3"]
    assert not (driven.kept / "state").exists()


def test_who_goes_on_with_a_run_has_what_was_left_unfinished(driven: Driven):
    driven.write(workflow__yaml=UNFINISHED % (driven.folder, 0)).drive(1).drive(1).drive()

    assert seen(driven) == ["1", "2", "3"]


def test_what_is_unfinished_never_comes_from_outside(driven: Driven):
    driven.write(workflow__yaml=UNFINISHED % (driven.folder, 3), state="1\n").drive()

    assert seen(driven) == ["1", "2", "3"]


def test_a_run_that_makes_all_anew_goes_on_from_nothing_that_an_earlier_one_left(tmp_path: Path):
    (tmp_path / "work/files").mkdir(parents=True)
    (tmp_path / "work/files/state").write_text("old")
    workflow = Workflow("w", str(tmp_path / "described"))
    again = Locations(workflow, str(tmp_path / "work"))
    anew = Locations(workflow, str(tmp_path / "work"), lambda _: True)

    assert again.checkpoint("state") is not None
    assert anew.checkpoint("state") is None
    (tmp_path / "work/files/state").write_text("of its own first attempt")
    assert anew.checkpoint("state", [str(tmp_path / "first")]) is not None


@pytest.mark.parametrize("placement", ["links", "clustering"])
def test_a_run_that_makes_a_task_again_begins_without_the_checkpoint_of_one_that_was_done(
    driven: Driven, placement: str
):
    driven.write(workflow__yaml=COUNT % (driven.folder, 3)).drive(placement=placement)
    changed = (COUNT % (driven.folder, 3)).replace("cp state", "cat state >")
    again = replace(driven, run_id="12345678").write(workflow__yaml=changed)

    again.drive(placement=placement)

    assert seen(driven) == 2 * ["1", "2", "3"]


def test_a_later_run_goes_on_from_the_checkpoint_of_one_that_failed(driven: Driven):
    driven.write(workflow__yaml=COUNT % (driven.folder, 0)).drive(1)
    replace(driven, run_id="12345678").drive(1)
    replace(driven, run_id="12345679").drive()

    assert seen(driven) == ["1", "2", "3"]


def test_a_checkpoint_that_was_damaged_meanwhile_means_fresh(driven: Driven):
    driven.write(workflow__yaml=COUNT % (driven.folder, 0)).drive(1)
    (driven.kept / "state").unlink()
    (driven.kept / "state").mkdir()  # it cannot be read as a file
    driven.drive(1)

    assert seen(driven) == ["1", "1"]


def test_a_checkpoint_is_a_copy_and_the_users_own_stays_as_it_is(driven: Driven):
    driven.write(workflow__yaml=COUNT % (driven.folder, 3), state="1\n").drive()

    assert seen(driven) == ["2", "3"]
    assert (driven.folder / "described/state").read_text() == "1\n"


def test_each_member_has_a_checkpoint_of_its_own(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: each
sets: {n: {values: [a, b]}}
tasks:
  each:
    for_each: [n]
    run: "test -e state-{n} && cp state-{n} {out} || { echo {n} > state-{n}; false; }"
    outputs: {out: "end-{n}"}
    checkpoints: ["state-{n}"]
    retry: {times: 1}
"""
    ).drive()

    assert [(driven.out / f"end-{n}").read_text() for n in "ab"] == ["a\n", "b\n"]


def test_within_a_cluster_a_task_goes_on_from_its_checkpoint(driven: Driven):
    driven.write(workflow__yaml=COUNT % (driven.folder, 3)).drive(cluster="whole")

    assert seen(driven) == ["1", "2", "3"]


def test_the_checkpoint_of_an_attempt_whose_driver_has_died_is_found(driven: Driven):
    driven.write(
        workflow__yaml=f"""
longpole: 1
name: dies
tasks:
  dies:
    run: "test -e state && cp state {{out}} || {{ echo half > state; touch {driven.folder}/there;
      exec sleep 60; }}"
    outputs: {{out: end}}
    checkpoints: [state]
"""
    )
    driver = driven.start()
    limit = time.monotonic() + 60
    while not (driven.folder / "there").exists():
        assert time.monotonic() < limit
        time.sleep(0.02)
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    driven.drive()

    assert (driven.out / "end").read_text() == "half\n"
    assert driven.job("dies").attempts == 2


def test_the_newest_of_several_is_taken(tmp_path: Path):
    locations = Locations(Workflow("w", str(tmp_path / "described")), str(tmp_path / "work"))
    for at, folder in enumerate(("work/files", "old", "new")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "state").write_text(folder)
        os.utime(tmp_path / folder / "state", ns=(at, at))
    folders = [str(tmp_path / "new"), str(tmp_path / "old")]

    newest = locations.checkpoint("state", folders)
    kept = locations.checkpoint("state")

    assert newest is not None
    assert newest.path == str(tmp_path / "new/state")
    assert kept is not None
    assert kept.path == str(tmp_path / "work/files/state")
    assert locations.checkpoint("other", folders) is None
