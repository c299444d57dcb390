"""What a task has made: as it declares, and as many files of a pattern as there are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from longpole.run.engines.local.collecting import MissingOutputError, made_by
from longpole.run.orders import Output
from tests.run.driven import Driven

TILES = (Output("t/{tile}", open=True),)


@pytest.mark.parametrize(
    ("name", "why"),
    [(b"a\nb", r"'t/a\\nb'; names of files never contain line breaks"), (b"\xff", "is not UTF-8")],
)
def test_a_name_that_no_file_may_have_is_refused_and_not_left_out(tmp_path: Path, name: bytes, why: str):
    (tmp_path / "t").mkdir()
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"t", name))).touch()

    with pytest.raises(MissingOutputError, match=why):
        made_by(TILES, str(tmp_path))


def test_odd_names_of_other_files_are_no_matter(tmp_path: Path):
    for name in ("t/1", "a\nb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert made_by(TILES, str(tmp_path)) == ["t/1"]


def test_what_lay_there_before_was_not_made(tmp_path: Path):
    (tmp_path / "t").mkdir()
    for name in ("in", "new"):
        (tmp_path / "t" / name).touch()

    assert made_by(TILES, str(tmp_path), {"t/in"}) == ["t/new"]


ALIKE = """
longpole: 1
name: alike
sets: {part: {from: "{part}.txt"}}
tasks:
  cut:   {inputs: [in.txt], run: "cat in.txt > 1.txt", outputs: ["{part}.txt"], after: other}
  other: {run: "echo > other.txt", outputs: [other.txt]}
  total: {inputs: {parts: "{part}.txt"}, run: "echo {parts} > {all}", outputs: {all: total.txt}}
"""


@pytest.mark.parametrize("cluster", ["none", "whole"])
def test_inputs_and_files_of_other_tasks_are_no_outputs_though_they_fit_the_pattern(
    tmp_path: Path, cluster: str
):
    driven = Driven(tmp_path).write(workflow__yaml=ALIKE, in__txt="x\n")

    driven.drive(cluster=cluster)

    assert (driven.out / "total.txt").read_text() == "1.txt\n"


CLASH = """
longpole: 1
name: clash
sets: {part: {from: "{part}.txt"}}
tasks:
  first: {run: "echo > 1.txt", outputs: [1.txt]}
  cut:   {run: "echo > 1.txt; echo > 2.txt", outputs: ["{part}.txt"], after: first}
  total: {inputs: {parts: "{part}.txt"}, run: "cat {parts} > all", outputs: [all]}
"""


def test_a_file_that_another_task_has_made_already_is_not_taken_in_silence(tmp_path: Path):
    driven = Driven(tmp_path).write(workflow__yaml=CLASH)

    driven.drive(1)

    assert "Both 'first' and 'cut' make '1.txt'" in driven.said.stderr
