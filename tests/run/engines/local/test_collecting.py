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


AGAIN = """
longpole: 1
name: again
sets: {part: {from: "parts/{part}.txt"}}
tasks:
  other: {run: "echo other > parts/other.txt", outputs: [parts/other.txt]}
  cut:
    inputs: [parts/in.txt, parts/other.txt, tree/in.txt]
    run: "sh cut.sh"
    code: [cut.sh]
    outputs: ["parts/{part}.txt", sum, {optional: maybe}, tree/]
    unfinished: [step]
    retry: 1
  all:
    inputs: {parts: "parts/{part}.txt"}
    run: "cat {parts} > {all}; test ! -e maybe || ls maybe tree/half >> {all}"
    outputs: {all: total.txt}
"""
CUT = """
set -e
if [ ! -e step ]; then
  touch step sum maybe parts/2.txt 'parts/3\n.txt' tree/half
  echo half > parts/1.txt
  exit 1
fi
echo fine > parts/1.txt
cat parts/in.txt parts/other.txt tree/in.txt > sum
ls tree > tree/list
"""


def test_what_a_failed_try_has_left_in_a_cluster_is_gone_but_not_what_others_need(tmp_path: Path):
    driven = Driven(tmp_path).write(workflow__yaml=AGAIN, cut__sh=CUT)
    for name in ("parts/in.txt", "tree/in.txt"):
        path = tmp_path / "described" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("in\n")
    driven.drive(cluster="whole")

    assert (driven.out / "total.txt").read_text() == "fine\n"
    assert (driven.out / "tree/list").read_text() == "in.txt\nlist\n"


def test_a_file_that_a_failed_try_has_half_written_in_a_cluster_is_no_output(tmp_path: Path):
    half = '{run: "[ -e half ] || { head -c 9 /dev/zero > half; exit 1; }", outputs: [half], retry: 1}'
    driven = Driven(tmp_path).write(workflow__yaml=f"longpole: 1\nname: half\ntasks:\n  lazy: {half}\n")
    driven.drive(1, cluster="whole")

    assert "It ended with exit code 1." in driven.said.stderr
    assert not (driven.out / "half").exists()


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
