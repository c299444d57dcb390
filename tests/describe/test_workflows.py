"""Descriptions: every key is read, and what cannot be is told with its line, key and what there is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longpole.describe.functions import NamedFunction
from longpole.describe.tasks import KEYS as TASK_KEYS
from longpole.describe.workflows import described
from longpole.model.workflow import Place, Resources, Result, Retry, Unreadable, Uses, WorkflowError
from tests.describe.tiles import TILES, complaint, one_task, workflow


def test_the_tiles_are_read_as_they_are_written():
    tiles = workflow(TILES)

    assert tiles.name == "tiles"
    assert tiles.sets["part"].values == ("aa", "ab")
    assert tiles.sets["image"].unreadable is Unreadable.DROP
    assert tiles.sets["tile"].made == "tiles/{tile}.png"
    assert tiles.sets["tile"].line == 7
    score = tiles.templates["score"]
    assert (score.for_each, score.line) == ((("tile",),), 14)
    assert score.inputs == (Uses("png", ("tiles/{tile}.png",), line=16),)
    assert score.resources == Resources(1, 200_000_000, 0, 1, 1)
    assert score.retry == Retry(2, 2.0)
    assert tiles.templates["total"].outputs[1] == Uses("", ("notes.txt",), optional=True, line=24)
    assert tiles.templates["total"].command == "xargs -rd '\\n' cat < {scores.list} > total.txt"
    assert (tiles.results, tiles.results_line) == (("total.txt",), 25)


def test_a_user_chooses_parameters():
    assert workflow(TILES, parts="[x, 1, 0.10]").sets["part"].values == ("x", "1", "0.10")
    assert workflow(TILES, parts="[aa]").parameters == {"parts": ("aa",)}


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"part": "x"}, "--set part: There is no such parameter; there are parts. Did you mean 'parts'?"),
        ({"parts": "aa"}, "--set parts: This must be a list: write --set 'parts=[aa]'."),
        ({"parts": "{a: b}"}, "--set parts: This must be a list"),
        (
            {"parts": "[a, [b]]"},
            "A parameter is a text, a number, true or false, or a list of such, not a list.",
        ),
        ({"parts": "[a"}, "--set parts:1: This is not YAML"),
        ({"parts": "[a, a]"}, "tiles.yaml:5: sets.part.values: 'a' is there twice; keep one."),
    ],
)
def test_a_choice_that_cannot_be_is_refused(chosen, said):
    assert said in complaint(TILES, **chosen)


def test_a_choice_is_of_the_kind_that_the_author_gave():
    text = one_task("run: 'true'", "parameters: {n: 1, f: 0.5, b: true, t: a}\n")

    assert workflow(text, n="3", f="2", b="false", t="7").parameters == {
        "n": "3",
        "f": "2",
        "b": "false",
        "t": "7",
    }
    assert "--set n: This must be a whole number, not the text 'x'." in complaint(text, n="x")
    assert "--set n: This must be a whole number, not true." in complaint(text, n="true")
    assert "--set b: This must be true or false, not the number 1." in complaint(text, b="1")


def test_a_parameter_without_a_value_must_be_chosen():
    text = one_task("run: cat {data}", "parameters: {data: }\n")

    assert complaint(text) == (
        "tiles.yaml:2: parameters.data: This parameter has no value; give it one with --set data=VALUE."
    )
    assert workflow(text, data="x.txt").parameters == {"data": "x.txt"}


def test_parameters_stand_in_patterns_resources_images_and_files():
    keys = """\
run: 'train --lr {lr}'
inputs: ['data-{scale}.csv', ./code//a.py]
outputs: ['model-{lr}.pt']
image: 'images/{scale}.sqsh'
resources: {cores: '{cores}', memory: '{cores} GB'}
timeout: '{cores} min'
cluster: '{scale}'
environment: {LR: '{lr}', N: 3, T: true}
"""
    above = (
        "parameters: {scale: tiny, lr: 1e-4, cores: 2}\nfiles: {'data-{scale}.csv': '/data/{scale}.csv'}\n"
    )

    found = workflow(one_task(keys, above))

    task = found.templates["train"]
    assert task.command == "train --lr {lr}"
    assert found.parameters["lr"] == "1e-4"
    assert task.inputs == (Uses("", ("data-tiny.csv", "code/a.py"), line=7),)
    assert task.outputs[0].patterns == ("model-1e-4.pt",)
    assert task.image == "images/tiny.sqsh"
    assert task.resources == Resources(2, 2_000_000_000)
    assert (task.timeout_s, task.cluster) == (120.0, "tiny")
    assert task.environment == {"LR": "{lr}", "N": "3", "T": "true"}
    assert found.files == {"data-tiny.csv": Place("/data/tiny.csv")}


def test_braces_in_what_was_chosen_are_no_places():
    text = one_task("run: 'true'\ninputs: ['{x}.txt']\nimage: '{x}'", "parameters: {x: '{y}', y: z}\n")

    found = workflow(text).templates["train"]

    assert found.inputs[0].patterns == ("{{y}}.txt",)
    assert found.image == "{y}"


def test_what_stands_at_the_top_holds_for_all_tasks_that_say_nothing_else():
    above = "image: a.sqsh\nenvironment: {A: x, B: y}\nresources: {cores: 4, memory: 1 GB}\nretry: 3\n"

    plain = workflow(one_task("run: 'true'", above)).templates["train"]
    own = workflow(
        one_task("run: 'true'\nimage: ''\nenvironment: {B: z}\nresources: {cores: 1}\nretry: 0", above)
    ).templates["train"]

    assert (plain.image, plain.environment, plain.retry.times) == ("a.sqsh", {"A": "x", "B": "y"}, 3)
    assert plain.resources == Resources(4, 1_000_000_000)
    assert (own.image, own.environment, own.retry.times) == ("", {"A": "x", "B": "z"}, 0)
    assert own.resources == Resources(1, 1_000_000_000)


def test_files_lie_at_paths_or_addresses():
    above = "files: {a: {path: ../a, bytes: 5}, b: {url: 'https://x/b', bytes: 2 MB}, c: http://x/c, d: /d}\n"

    assert workflow(one_task("run: 'true'", above)).files == {
        "a": Place("../a", "", 5),
        "b": Place("", "https://x/b", 2_000_000),
        "c": Place("", "http://x/c"),
        "d": Place("/d"),
    }


def test_a_function_is_named_and_not_imported():
    arguments = "arguments: [{result: load}, '{n}', {a: [1, 0.5]}]"
    keys = f"function: 'nosuch.steps:train'\n{arguments}\nkeywords: {{lr: 1e-4}}"
    above = "parameters: {n: 3}\n"
    text = one_task(keys, above) + "  load: {function: 'steps:load'}\n"

    call = workflow(text).templates["train"].call

    assert call is not None
    assert call.function == NamedFunction("/somewhere", "nosuch.steps", "train")
    assert call.arguments == (Result("load"), 3, {"a": [1, 0.5]})
    assert call.keywords == {"lr": 1e-4}
    assert type(call.keywords["lr"]) is float


def test_sets_go_as_products_and_in_step():
    text = one_task(
        "run: 'true'\nfor_each: [a, {zip: [b, c]}]\noutputs: ['{a}-{b}-{c}']",
        "sets: {a: {values: [1, 2]}, b: {values: [x]}, c: {values: [y]}}\n",
    )

    assert workflow(text).templates["train"].for_each == (("a",), ("b", "c"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nmae: x\ntasks: {}", "tiles.yaml:2: nmae: There is no such key here; there are longpole, name,"),
        ("longpole: 2\n", "tiles.yaml:1: longpole: This Longpole reads version 1, not the number 2."),
        ("longpole: true\n", "This Longpole reads version 1, not true."),
        ("tasks: []", "tiles.yaml:2: tasks: This must be a map of keys, not a list."),
        ("tasks: {}", "tiles.yaml: The workflow has no tasks; describe some under 'tasks'."),
        (
            "tasks:\n  a b: {run: x}",
            "tiles.yaml:3: tasks.\"a b\": 'a b' is no name for a task: it has letters, digits, _,",
        ),
        ("tasks:\n  a:", "tiles.yaml:3: tasks.a: The task 'a' needs 'run' or 'function'."),
        ("tasks:\n  a: {run: [x]}", "tasks.a.run: This must be a command line, not a list."),
        ("tasks:\n  a: {run: x, function: 'a:b'}", "The task 'a' has both 'run' and 'function'; keep one."),
        (
            "tasks: {a: {run: x}}\nsets:\n  s: {}",
            "tiles.yaml:4: sets.s: The set 's' needs one of values, glob, from.",
        ),
        (
            "tasks: {a: {run: x}}\nsets:\n  s: {values: [a], glob: b}",
            "The set 's' has both 'values' and 'glob'; keep one.",
        ),
        (
            "tasks: {a: {run: x}}\nsets: {s: {values: {parts}}}",
            'If a parameter is meant, put it in quotes: "{parts}".',
        ),
        (
            "tasks: {a: {run: x}}\nsets: {s: {values: [[1]]}}",
            "A member is a text on one line, or a number, not a list.",
        ),
        (
            "tasks: {a: {run: x}}\nsets: {s: {values: ['']}}",
            "A member is a text on one line, or a number, not the text ''.",
        ),
        (
            "tasks: {a: {run: x}}\nsets: {s: {glob: 'data/*.jpg'}}",
            "'data/*.jpg' has no place {s} for the members",
        ),
        (
            "tasks: {a: {run: x}}\nsets: {s: {glob: '*/{s}.jpg'}}",
            "Write places instead of '*', as in 'data/{s}.jpg'.",
        ),
        ("tasks: {a: {run: x}}\nsets: {s: {glob: '{t}/{s}.jpg'}}", "may have no other place than {s}."),
        ("tasks: {a: {run: x}}\nsets: {s: {from: '{t}{s}.jpg'}}", "has two places side by side"),
        (
            "tasks: {a: {run: x}}\nsets: {s: {glob: '{s}', on_unreadable: dorp}}",
            "there are fail, drop. Did you mean 'drop'?",
        ),
        (
            "tasks: {a: {run: x}}\nsets: {s: {values: [a], on_unreadable: drop}}",
            "Only files that 'glob' looks up",
        ),
        (
            "tasks: {a: {run: x}}\nsets: {1s: {values: [a]}}",
            "'1s' is no name for a set: it has letters, digits and _ only.",
        ),
        ("tasks: {a: {run: x}}\nfiles: {a: {bytes: 3}}", "files.a: This needs a path or a url."),
        (
            "tasks: {a: {run: x}}\nfiles: {a: {url: 'ftp://x'}}",
            "'ftp://x' must begin with http:// or https://",
        ),
        (
            "tasks: {a: {run: x}}\nfiles: {'{s}': {path: x}}",
            "'{s}' has a place of a set; a file here has one name.",
        ),
        ("tasks: {a: {run: x}}\nparameters: {a-b: 1}", "A parameter's name has letters, digits and _ only."),
        ('tasks: {a: {run: x}}\nname: "a\\nb"', "'a\\nb' is no name for a workflow"),
    ],
)
def test_what_cannot_be_is_told_with_its_line_and_key(text, said):
    assert said in complaint(text)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("gpus: 4", "tiles.yaml:4: tasks.train.gpus: Write this under 'resources': {gpus: ...}."),
        (
            "output: [a]",
            "tasks.train.output: There is no such key here; there are for_each, inputs, outputs,",
        ),
        ("output: [a]", "Did you mean 'outputs'?"),
        (
            "resources: {cores: 0}",
            "tasks.train.resources.cores: This must be from 1 to 1,000,000,000, not the number 0.",
        ),
        ("resources: {cores: two}", "resources.cores: This must be a whole number, not the text 'two'."),
        (
            "resources: {memory: 200}",
            "This must be a text with a unit, such as '200 MB', not the number 200.",
        ),
        ("resources: {memory: lots}", "tiles.yaml:4: tasks.train.resources.memory: 'lots' is not a size."),
        ("resources: {memory: 0 MB}", "A task cannot need no memory at all."),
        ("resources: {gpu: 1}", "Did you mean 'gpus'?"),
        ("retry: {times: 2, memory: 2 GB}", "This must be a factor from x1 to x100, such as x2, not '2 GB'."),
        ("retry: -1", "tasks.train.retry: This must be from 0 to"),
        ("retry: 5000", "tasks.train.retry: This must be from 0 to 1000, not the number 5000."),
        ("timeout: 90", "This must be a text with a unit, such as '90 min', not the number 90."),
        ("timeout: 0 s", "This must be above zero, not the text '0 s'."),
        ("timeout: 1e300 s", "This must be at most 36500 d, not the text '1e300 s'."),
        ("timeout: soon", "'soon' is not a span of time."),
        ("environment: {1A: x}", "This is no name of a variable"),
        ("environment: {A: [x]}", "tasks.train.environment.A: This must be a text, not a list."),
        ("inputs: [/data/raw.png]", "under 'files' where it lies: {raw.png: {path: /data/raw.png}}."),
        ("inputs: ['~/raw.png']", "'~/raw.png' is an absolute path."),
        ("inputs: [../raw.png]", "leads out of the workflow's folder"),
        ("inputs: [a/../../b]", "leads out of the workflow's folder"),
        ("inputs: ['.']", "leads out of the workflow's folder, or to the folder itself."),
        ("inputs: ['']", "A name of a file is empty."),
        ('inputs: ["a\\nb"]', "'a\\nb' has a line break or a NUL in it"),
        ("inputs: ['a{']", "has a brace that is no part of a place"),
        (
            "inputs: [{optional: a}]",
            "Only an output can be optional. What need not be there yet goes under 'checkpoints'.",
        ),
        (
            "outputs: [{option: a}]",
            "There is no key 'option' here; there are optional. Did you mean 'optional'?",
        ),
        ("outputs: {a: {option: a}}", "Did you mean 'optional'?"),
        ("outputs: {a-b: a}", "'a-b' is no name that a command could use"),
        ("outputs: {a: []}", "tasks.train.outputs.a: This names no file; leave it out, or give a name."),
        ("outputs: [{tile}]", 'If a place is meant, put the text in quotes: "{tile}".'),
        ("outputs: 3", "A name of a file must be a text, not the number 3."),
        (
            "outputs: [\n  a,\n  3]",
            "tiles.yaml:6: tasks.train.outputs: A name of a file must be a text, not the number 3.",
        ),
        ("for_each: {product: [a]}", "There is no 'product' here; there are zip."),
        ("for_each: 3", "This must be names of sets, or {zip: [a, b]}, not the number 3."),
        ("arguments: [1]", "Only a function takes these"),
        ("program: [a]", "tasks.train.program: This must be a text, not a list."),
        ("cluster: 'a{'", "has a brace that is no part of a place"),
        ("checkpoints: {a: b}", "This must be a text or a list of texts, not a map."),
    ],
)
def test_what_a_task_cannot_have_is_told_with_its_line_and_key(keys, said):
    assert said in complaint(one_task(f"{keys}\nrun: 'true'"))


def test_a_function_must_have_a_name_that_can_be_found():
    assert "'train' is no function; write it as module:name." in complaint(one_task("function: train"))


def test_a_list_as_a_parameter_of_a_pattern_is_refused():
    text = one_task("run: 'true'\ninputs: ['{parts}.txt']", "parameters: {parts: [a]}\n")

    assert "The parameter 'parts' is a list; make a set of it" in complaint(text)


def test_several_problems_are_told_at_once_and_the_rest_is_counted():
    tasks = "".join(f"  t{n}: {{run: 'true', retry: x}}\n" for n in range(12))

    said = complaint(f"tasks:\n{tasks}").splitlines()

    assert len(said) == 11
    assert said[0].startswith("tiles.yaml:3: tasks.t0.retry: ")
    assert said[-1] == "And 2 more problems."


def attempt(text: str) -> None:
    try:
        workflow(text)
    except WorkflowError as error:
        str(error).encode("utf-8", "surrogatepass")


@settings(max_examples=300)
@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_a_damaged_description_raises_nothing_but_our_error(rng: random.Random, damages: int):
    text = TILES
    pieces = [
        "{",
        "}",
        "[",
        "]",
        ":",
        "- ",
        "\n",
        "  ",
        "'",
        '"',
        "&a ",
        "*a",
        "<<: ",
        "!!x ",
        "~",
        "0",
        "{tile}",
        "..",
        "/",
        "\t",
    ]
    pieces += [word for word in TILES.replace(":", " ").split() if word]
    for _ in range(damages):
        begin = rng.randrange(len(text) + 1)
        text = text[:begin] + rng.choice(pieces) + text[begin + rng.choice([0, 0, 1, 3, 10]) :]

    attempt(text)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = st.text(max_size=4) | st.sampled_from(["zip", "optional", "times"])
VALUES = st.recursive(
    PLAIN | st.sampled_from(["{a}", "x2", "1 GB", "a:b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
OTHER_KEYS = {"sets": ("values", "glob", "from", "on_unreadable"), "files": ("path", "url", "bytes")}
KEYS = [("tasks", key) for key in TASK_KEYS] + [
    (part, key) for part, keys in OTHER_KEYS.items() for key in keys
]


@settings(max_examples=300)
@given(st.sampled_from(KEYS), VALUES)
def test_any_value_of_any_key_raises_nothing_but_our_error(place, value):
    values: dict[str, dict[str, dict[str, object]]] = {
        "tasks": {"a": {"run": "true", "outputs": ["{a}"], "for_each": ["a"]}},
        "sets": {"a": {"values": ["x"]}},
        "files": {"a": {"path": "x"}},
    }
    values[place[0]]["a"][place[1]] = value
    try:
        described({"longpole": 1, "name": "x", **values}, "x.yaml", "/somewhere", {})
    except WorkflowError:
        pass
