"""Inputs that are nowhere are told before anything runs; what a task may make is not looked for."""

from __future__ import annotations

import pytest

from longpole.describe.checks.inputs import check_inputs, found_in
from longpole.describe.load import load_workflow
from longpole.model.workflow import WorkflowError
from tests.describe.tiles import TILES, workflow


def missing(text: str, *there: str) -> str:
    with pytest.raises(WorkflowError) as caught:
        check_inputs(workflow(text), lambda name: name in there)
    return str(caught.value)


def test_inputs_and_code_that_are_nowhere_are_told():
    nowhere = (
        "no task makes it, and it is not in /somewhere. Put it there, or say under 'files' where it lies."
    )

    assert missing(TILES).splitlines() == [
        f"tiles.yaml:9: Task 'cut' needs 'cut.py': {nowhere}",
        f"tiles.yaml:10: Task 'cut' needs 'data/raw.png': {nowhere}",
    ]


def test_the_author_of_a_workflow_may_say_what_to_do_about_missing_inputs():
    text = f"{TILES}\nif_missing: Call generate.py first.\n"

    told = missing(text, "cut.py")

    assert told.endswith("no task makes it, and it is not in /somewhere. Call generate.py first.")


def test_nothing_is_missing_where_everything_is_there():
    check_inputs(workflow(TILES), lambda name: name in ("cut.py", "data/raw.png"))


def test_names_of_known_members_are_looked_for_each():
    text = "sets: {p: {values: [a, b, c]}}\ntasks: {t: {run: x, inputs: ['d/{p}.txt']}}"

    assert "Task 't' needs 'd/b.txt' (and 1 more of its inputs): " in missing(text, "d/a.txt")


def test_members_may_have_braces_in_their_names():
    text = "sets: {p: {values: ['{q}', 'r{', '{s}']}}\ntasks: {t: {run: x, inputs: ['d/{p}.txt']}}"

    assert "Task 't' needs 'd/{s}.txt': no task makes it" in missing(text, "d/{q}.txt", "d/r{.txt")


def test_pairs_that_a_task_does_not_make_are_missed_where_every_combination_is_used():
    text = (
        "sets: {a: {values: [1, 2]}, b: {values: [x, y]}}\n"
        "tasks:\n"
        "  pair: {for_each: {zip: [a, b]}, run: x, outputs: ['{a}-{b}']}\n"
        "  again: {for_each: {zip: [a, b]}, run: x, inputs: ['{a}-{b}']}\n"
        "  all: {run: x, inputs: ['{a}-{b}']}\n"
    )

    (told,) = missing(text).splitlines()

    assert "Task 'all' needs '1-y' (and 1 more of its inputs): no task makes it" in told


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ("'o/{m}.txt'", "'o/{p}.txt'"),
        ("o/a.txt", "'o/{p}.txt'"),
        ("'o/{p}.txt'", "o/a.txt', 'o/b.txt"),
        ("'{p}/x'", "'{p}/x'"),
        ("'o/{m}.txt'", "o/z.txt"),
    ],
)
def test_what_a_task_may_make_is_not_missed(inputs, outputs):
    sets = "sets: {p: {values: [a, b]}, m: {from: 'm/{m}'}}\n"
    fan = "for_each: [p], " if "{p}" in outputs else ""
    outputs = outputs if outputs.startswith("'") else f"'{outputs}'"
    using = f"  t: {{run: x, inputs: [{inputs}]}}\n"
    making = f"  u: {{run: x, {fan}outputs: [{outputs}]}}\n  v: {{run: x, outputs: ['m/{{m}}']}}"
    text = f"{sets}tasks:\n{using}{making}"

    check_inputs(workflow(text), lambda name: False)


def test_files_of_sets_that_are_looked_up_are_not_missed():
    check_inputs(
        workflow("sets: {g: {glob: 'g/{g}'}}\ntasks: {t: {run: x, inputs: ['g/{g}']}}"), lambda name: False
    )


def test_a_name_that_no_task_makes_for_a_made_set_is_missed():
    text = (
        "sets: {m: {from: 'm/{m}'}}\ntasks: {t: {run: x, inputs: ['n/{m}']}, u: {run: x, outputs: ['m/{m}']}}"
    )

    assert "Task 't' needs 'n/{m}': no task makes it" in missing(text)


def test_directories_are_taken_as_a_whole():
    inside = "tasks: {t: {run: x, inputs: [model/w.bin]}, u: {run: x, outputs: [model/]}}"
    around = "tasks: {t: {run: x, inputs: [model/]}, u: {run: x, outputs: [model/w.bin]}}"

    assert "it lies in 'model/', which task 'u' makes as a whole; take that as input." in missing(inside)
    assert "task 'u' makes 'model/w.bin' in it, and not the directory; take these files." in missing(around)


def test_files_are_looked_for_in_the_folder_and_at_their_places(tmp_path):
    (tmp_path / "here.txt").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "moved.txt").touch()
    (tmp_path / "w.yaml").write_text(
        "longpole: 1\ntasks: {t: {run: x, inputs: [here.txt, a.txt, web.txt, both.txt, gone.txt]}}\n"
        "files: {a.txt: sub/moved.txt, web.txt: 'http://x/y', gone.txt: /nosuch/gone.txt,\n"
        "  both.txt: {path: /nosuch/both.txt, url: 'http://x/z'}}\n"
    )
    found = load_workflow(tmp_path / "w.yaml")

    with pytest.raises(
        WorkflowError, match=r"needs 'gone.txt': it should lie at /nosuch/gone.txt, and is not there"
    ):
        check_inputs(found, found_in(found))
