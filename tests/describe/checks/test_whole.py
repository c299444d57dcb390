"""Workflows that cannot be as a whole: each is told with its line, and several at once."""

from __future__ import annotations

import pytest

from tests.describe.tiles import TILES, complaint, workflow

SETS = (
    "sets: {a: {values: [1, 2]}, b: {values: [x, y]}, c: {values: [z]}, e: {values: [2, 3]}, "
    "m: {from: 'm/{m}.txt'}, g: {glob: 'g/{g}'}}\n"
)
MAKES = "  make: {run: 'true', outputs: ['m/{m}.txt']}\n"


def tasks(text: str) -> str:
    return f"longpole: 1\n{SETS}tasks:\n{MAKES}{text}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "  t: {run: x, for_each: [aa]}",
            "tiles.yaml:5: Task 't': for_each: There is no set 'aa'; there are a, b, c, e, m, g. Did you",
        ),
        (
            "  t: {run: x, for_each: [a, {zip: [a, b]}], outputs: ['{a}{b}']}",
            "for_each: The set 'a' is there twice; keep one.",
        ),
        (
            "  t: {run: x, for_each: {zip: [a, c]}, outputs: ['{a}{c}']}",
            "Sets that go in step need equally many members; 'a' has 2, 'c' has 1.",
        ),
        ("  t: {run: x, for_each: [{zip: []}]}", "'zip' takes names of two sets or more."),
        (
            "  t: {run: x, inputs: ['{tiel}.txt']}",
            "tiles.yaml:5: Task 't': '{tiel}.txt' has a place {tiel}, and there is no such set or parameter;",
        ),
        ("  t: {run: x, outputs: ['n/{m}.txt']}", "neither fanned out over 'm' nor makes that set."),
        (
            "  t: {run: x, for_each: [a, b], outputs: ['{a}.txt']}",
            "the task runs for each 'b': its tasks would overwrite each other. Put {b} into the name.",
        ),
        ("  t: {run: x, for_each: [a], outputs: [{optional: log}]}", "its tasks would overwrite each other"),
        (
            "  t: {run: x, inputs: {a: '{a}.txt'}, for_each: [a]}",
            "'a' names files and a set that the task is fanned out over; {a} in the command could be either.",
        ),
        ("  t: {run: x, inputs: {f: f}, outputs: {f: g}}", "'f' names files and other files"),
        ("  t: {run: x, inputs: {program: f}, program: p}", "'program' names files and the program"),
        ("  t: {run: x, code: ['{a}.py']}", "'{a}.py' has a place {a}, and no parameter is called so."),
        (
            "  t: {run: x, checkpoints: ['{a}.ckpt']}",
            "'{a}.ckpt' has a place {a}, and for_each has no such set.",
        ),
        ("  t: {run: x, cluster: 'c-{a}'}", "'c-{a}' has a place {a}, and for_each has no such set."),
        (
            "  t: {run: 'echo {a}'}",
            "the command names a member of 'a', and the task is not fanned out over it.",
        ),
        (
            "  t: {run: x, outputs: ['m/{m}.txt']}",
            "tiles.yaml:5: Two tasks make 'm/{m}.txt': 'make' (line 4) and 't'.",
        ),
        ("  t: {run: x, outputs: [f, f]}", "Task 't' makes 'f' twice; its outputs must differ."),
        (
            "  t: {run: x, for_each: [a], outputs: ['f{a}']}\n  u: {run: x, outputs: [f2]}",
            "tiles.yaml:6: Two tasks make 'f2': 't' (line 5) and 'u'.",
        ),
        (
            "  t: {run: x, for_each: a, outputs: ['f{a}']}\n  u: {run: x, for_each: e, outputs: ['f{e}']}",
            "Two tasks make 'f2': 't' (line 5) and 'u'.",
        ),
        (
            "  t: {run: x, outputs: [d/]}\n  u: {run: x, outputs: [d/e/f]}",
            "Task 'u': 'd/e/f' lies in 'd/', which task 't' makes as a whole; keep one.",
        ),
        (
            "  t: {run: x, outputs: [d]}\n  u: {run: x, outputs: [d/e]}",
            "Task 'u': 'd/e' lies in 'd', which task 't' makes as a file; keep one.",
        ),
        (
            "  t: {run: x, outputs: [d]}\n  u: {run: x, outputs: [d/]}",
            "Two tasks make 'd/': 't' (line 5) and 'u'.",
        ),
        (
            "  t: {run: x, outputs: [f]}\nfiles: {f: /f}",
            "Task 't' makes 'f', and 'files' says where it lies already",
        ),
        (
            "  t: {run: x, outputs: [total.txt]}\nresults: [totl.txt]",
            "tiles.yaml:6: results: No task makes 'totl.txt'; there are",
        ),
        ("  t: {run: x, outputs: [total.txt]}\nresults: [totl.txt]", "Did you mean 'total.txt'?"),
        (
            "  t: {run: x, inputs: [f], outputs: [f]}",
            "reads 'f', which it makes itself. If it continues from it, name it under 'checkpoints' alone.",
        ),
        (
            "  t: {run: x, inputs: [f], outputs: [g]}\n  u: {run: x, inputs: [g], outputs: [f]}",
            "tiles.yaml:5: Tasks wait for themselves: 't' (line 5) -> 'u' (line 6) -> 't' (line 5). Take one",
        ),
        (
            "  t: {function: a:b, keywords: {x: {result: u}}}\n  u: {function: a:b, arguments: [result: t]}",
            "Tasks wait for themselves",
        ),
        (
            "  t: {function: 'a:b', arguments: [{result: v}]}",
            "There is no task 'v' to give a result; there are make, t.",
        ),
        ("  t: {function: 'a:b', arguments: [{result: make}]}", "'make' is a command, which returns nothing"),
    ],
)
def test_what_cannot_be_is_told(text, said):
    assert said in complaint(tasks(text))


def test_a_set_that_no_task_makes_is_told():
    text = TILES.replace('outputs: ["tiles/{tile}.png"]', 'outputs: ["tile/{tile}.png"]')

    assert "tiles.yaml:13: Task 'cut': the output 'tile/{tile}.png' has a place {tile}" in complaint(text)
    text = "sets: {m: {from: 'm/{m}.txt'}}\ntasks: {t: {run: x, inputs: ['m/{m}.txt']}}"
    assert "tiles.yaml:2: The set 'm' is told from 'm/{m}.txt', which no task makes" in complaint(text)


def test_a_task_that_makes_the_set_it_runs_for_waits_for_itself():
    text = "sets: {m: {from: 'm/{m}.txt'}}\ntasks: {t: {run: x, for_each: m, outputs: ['m/{m}.txt']}}"

    assert "waits for what it makes itself" in complaint(text)


def test_a_set_and_a_parameter_of_one_name_are_told():
    assert "The set 'parts' is called as a parameter is; rename one." in complaint(
        "parameters: {parts: [a]}\nsets: {parts: {values: '{parts}'}}\ntasks: {t: {run: x}}"
    )


def test_members_of_a_set_within_another_need_both():
    above = "sets: {i: {values: [1]}, t: {from: '{i}/{t}'}}\n"
    cut = "tasks:\n  cut: {run: x, for_each: [i], outputs: ['{i}/{t}']}\n"

    assert "Members of 't' belong to those of 'i' ('{i}/{t}'); add that too." in complaint(
        f"{above}{cut}  use: {{run: x, for_each: [t], outputs: ['u/{{t}}']}}"
    )
    both = workflow(f"{above}{cut}  use: {{run: x, for_each: [i, t], outputs: ['u/{{i}}-{{t}}']}}")
    assert both.templates["use"].sets == ("i", "t")


def test_what_can_be_is_not_complained_about():
    """Names in quotes, chains through sets in step, second files of a made set."""
    text = tasks(
        "  jq: {run: \"jq '{a}' {f}\", inputs: {f: x}}\n"
        "  chain: {run: x, for_each: [{zip: [a, b]}], inputs: ['s{a}'], outputs: ['s{b}', 'l{a}']}\n"
        "  two: {run: x, outputs: ['q/{q}.a', 'q/{q}.b']}\n"
        "  all: {run: x, inputs: ['q/{q}.b', 'm/{m}.txt', 'sx'], checkpoints: [c]}\n"
        "results: [sx, 'm/{m}.txt']\n"
    ).replace("g: {glob", "q: {from: 'q/{q}.a'}, g: {glob")

    assert workflow(text).results == ("sx", "m/{m}.txt")
