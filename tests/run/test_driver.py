"""The driver: a sentence about one task is that task's failure, and ends nothing else."""

from __future__ import annotations

from pathlib import Path

from tests.run.driven import Driven

FAILED = 1
# A name with a blank cannot be put into backquotes, which is known when the tile is there.
BACKQUOTES = """
longpole: 1
name: quotes
sets: {tile: {from: "tiles/{tile}.png"}}
tasks:
  cut: {run: "echo 1 > 'tiles/a b.png'; echo 2 > tiles/c.png", outputs: ["tiles/{tile}.png"]}
  score:
    for_each: [tile]
    retry: 1
    inputs: {png: "tiles/{tile}.png"}
    run: "echo `cat {png}` > {out}"
    outputs: {out: "scores/{tile}.txt"}
"""
CHECKPOINTS = """
longpole: 1
name: outside
sets: {n: {values: ["../a", "b"]}}
tasks:
  one: {for_each: [n], run: "echo {n}", checkpoints: ["ck/{n}"]}
"""
UNQUOTED = "'tiles/a b.png' needs quotes"


def test_a_command_that_cannot_be_written_fails_its_task_and_others_go_on(tmp_path: Path) -> None:
    driven = Driven(tmp_path).write(workflow__yaml=BACKQUOTES).drive(FAILED, keep_going=True)

    assert (driven.out / "scores" / "c.txt").read_text() == "2\n"
    assert UNQUOTED in " ".join(driven.said.stderr.split())
    failed = driven.job("score tile=a b")
    assert (failed.attempts, failed.status, len(failed.causes), failed.open) == (2, FAILED, 2, ())
    assert all(cause.startswith(UNQUOTED) for cause in failed.causes)


def test_a_command_of_a_cluster_that_cannot_be_written_fails_the_cluster(tmp_path: Path) -> None:
    driven = Driven(tmp_path).write(workflow__yaml=BACKQUOTES).drive(FAILED, cluster="whole")

    assert "score tile=a b" in driven.said.stderr
    assert UNQUOTED in " ".join(driven.said.stderr.split())
    assert {job.status for number, job in driven.log.jobs.items() if number in driven.log.groups} == {FAILED}


def test_a_checkpoint_that_would_leave_the_folder_fails_its_task(tmp_path: Path) -> None:
    driven = Driven(tmp_path).write(workflow__yaml=CHECKPOINTS).drive(FAILED, keep_going=True)

    assert driven.job("one n=b").committed
    (cause,) = driven.causes("one n=../a")
    assert cause.startswith("'ck/../a' (of 'ck/{n}') leaves the folder")


def test_a_task_that_was_made_before_fails_when_its_command_cannot_be_written_any_more(
    tmp_path: Path,
) -> None:
    driven = Driven(tmp_path).write(workflow__yaml=BACKQUOTES.replace("`cat {png}`", "$(cat {png})")).drive()
    driven.run_id = f"{int(driven.run_id) ^ 1:08}"

    driven.write(workflow__yaml=BACKQUOTES).drive(FAILED)

    assert driven.job("score tile=a b").causes[0].startswith(UNQUOTED)
