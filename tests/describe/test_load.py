"""Loading: YAML files, Python files and folders, and what is said of those that cannot be."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

from longpole.describe.functions import NamedFunction
from longpole.describe.load import load_workflow
from longpole.model.workflow import WorkflowError
from tests.describe.tiles import TILES

PYTHON = """\
from __future__ import annotations

from typing import Literal

from longpole import Workflow

import steps


def clean(x):
    return x


Scale = Literal["tiny", "paper"]


def workflow(scale: Scale = "tiny", parts=("aa", "ab"), lr=1e-4, seed: int | None = None, fast=False):
    made = Workflow("py")
    made.set("part", values=parts)
    first = made.call("clean", clean, scale, seed, fast)
    made.call("train", steps.train, first, lr=lr)
    outputs = {"out": "{scale}/{part}.txt"}
    made.task("show", run="echo {scale} {part} > {out}", for_each="part", outputs=outputs)
    return made
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "workflow.py").write_text(PYTHON)
    (tmp_path / "steps.py").write_text("def train(x, lr):\n    return x, lr\n")
    return tmp_path


def complaint(path, **chosen: str) -> str:
    with pytest.raises(WorkflowError) as caught:
        load_workflow(path, chosen)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def python(tmp_path, text: str, **chosen: str) -> str:
    (tmp_path / "flow.py").write_text(text)
    return complaint(tmp_path / "flow.py", **chosen)


def test_a_yaml_file_or_its_folder_is_loaded(tmp_path):
    (tmp_path / "workflow.yaml").write_text(TILES)

    found = load_workflow(tmp_path)

    assert (found.name, found.folder) == ("tiles", str(tmp_path))
    assert found == load_workflow(str(tmp_path / "workflow.yaml"))


def test_a_workflow_without_a_name_is_called_as_its_file_or_folder(tmp_path):
    (tmp_path / "lung").mkdir()
    for name in ("workflow.yaml", "fit.yaml"):
        (tmp_path / "lung" / name).write_text("longpole: 1\ntasks: {t: {run: x}}\n")

    assert load_workflow(tmp_path / "lung").name == "lung"
    assert load_workflow(tmp_path / "lung" / "fit.yaml").name == "fit"


def test_the_arguments_of_a_python_file_are_its_parameters(folder):
    plain = load_workflow(folder)
    chosen = load_workflow(
        folder / "workflow.py", {"scale": "paper", "parts": "[x, 1]", "seed": "7", "lr": "2"}
    )

    assert plain.sets["part"].values == ("aa", "ab")
    assert plain.parameters == {"scale": "tiny", "parts": ("aa", "ab"), "lr": "0.0001", "fast": "false"}
    assert plain.templates["show"].outputs[0].patterns == ("tiny/{part}.txt",)
    assert chosen.sets["part"].values == ("x", "1")
    assert chosen.templates["show"].outputs[0].patterns == ("paper/{part}.txt",)
    call = chosen.templates["clean"].call
    assert call is not None
    assert call.arguments == ("paper", 7, False)


def test_functions_of_the_folder_can_be_called_in_any_process(folder):
    found = load_workflow(folder)
    calls = [found.templates[name].call for name in ("clean", "train")]
    functions = [call.function for call in calls if call is not None]

    assert functions == [
        NamedFunction(str(folder), "workflow", "clean"),
        NamedFunction(str(folder), "steps", "train"),
    ]
    (folder / "call").write_bytes(pickle.dumps(functions))
    code = f"import pickle; a, b = pickle.load(open({str(folder / 'call')!r}, 'rb')); print(a(3), b(1, lr=2))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3 (1, 2)\n"


def test_another_folder_has_modules_of_its_own(folder, tmp_path_factory):
    load_workflow(folder)
    other = tmp_path_factory.mktemp("other")
    (other / "workflow.py").write_text(PYTHON.replace("steps.train", "steps.fit"))
    (other / "steps.py").write_text("def fit(x, lr):\n    return x\n")

    call = load_workflow(other).templates["train"].call

    assert call is not None
    assert call.function == NamedFunction(str(other), "steps", "fit")
    assert str(folder) not in sys.path


def test_a_variable_will_do(tmp_path):
    (tmp_path / "flow.py").write_text(
        "import longpole\nworkflow = longpole.Workflow('v')\nworkflow.task('t', run='x')\n"
    )

    assert load_workflow(tmp_path / "flow.py").name == "v"
    assert "--set a: There is no such parameter; there are none." in complaint(tmp_path / "flow.py", a="1")


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (
            {"scael": "tiny"},
            "--set scael: There is no such parameter; there are scale, parts, lr, seed, fast. Did you mean",
        ),
        ({"scale": "big"}, "--set scale: 'big' cannot be chosen; there are tiny, paper."),
        ({"parts": "x"}, "--set parts: This must be a list: write --set 'parts=[x]'."),
        ({"seed": "x"}, "--set seed: This must be a whole number, not the text 'x'."),
        ({"lr": "x"}, "--set lr: This must be a number, not the text 'x'."),
        ({"fast": "1"}, "--set fast: This must be true or false, not the number 1."),
    ],
)
def test_a_choice_that_cannot_be_is_refused(folder, chosen, said):
    assert said in complaint(folder, **chosen)


def test_what_goes_wrong_in_a_users_file_is_one_sentence_with_its_line(tmp_path):
    flow = tmp_path / "flow.py"

    assert python(tmp_path, "x = 1\n1 / 0\n") == (
        f"{flow}:2: ZeroDivisionError: division by zero. Set LONGPOLE_DEBUG=1 to see more."
    )
    assert python(tmp_path, "def workflow():\n    return int('a b c')\n").startswith(
        f"{flow}:2: ValueError: invalid"
    )
    assert python(tmp_path, "x = (\n\n") == f"{flow}:1: SyntaxError: '(' was never closed."
    assert python(tmp_path, "import sys\n\nsys.exit(3)\n").startswith(f"{flow}:3: SystemExit: 3.")
    assert "ModuleNotFoundError: No module named 'nosuch'" in python(tmp_path, "import nosuch\n")
    assert "'workflow' must be a workflow, or a function that returns one, not nothing." in python(
        tmp_path, "y = 1\n"
    )
    assert "not the number 3" in python(tmp_path, "def workflow(x=3):\n    return x\n")
    assert "The parameter 'n' has no value; give it one with --set n=VALUE." in python(
        tmp_path, "def workflow(n):\n    pass\n"
    )


def test_a_complaint_about_what_a_users_file_describes_has_its_line(tmp_path):
    text = "import longpole\nworkflow = longpole.Workflow('v')\nworkflow.task('t', run='x', cores=0)\n"

    assert f"{tmp_path / 'flow.py'}:3: tasks.t.resources.cores: This must be from 1 to" in python(
        tmp_path, text
    )


def test_a_file_that_hides_another_module_is_refused(tmp_path):
    (tmp_path / "json.py").write_text("x = 1\n")

    assert "There is another module 'json'; rename this file." in complaint(tmp_path / "json.py")


def test_what_is_no_workflow_is_told(tmp_path):
    assert complaint(tmp_path).endswith("holds no workflow: there is no workflow.py and no workflow.yaml.")
    (tmp_path / "workflow.yaml").write_text(TILES)
    (tmp_path / "workflow.py").write_text("")
    assert complaint(tmp_path).endswith("holds workflow.py and workflow.yaml; say which of them you mean.")
    assert complaint(tmp_path / "nosuch.py").endswith("No such file or directory.")
    assert complaint("a\0b").startswith("Cannot read a")
    os.mkfifo(tmp_path / "pipe.py")
    assert complaint(tmp_path / "pipe.py").endswith("it is not a file.")


def test_the_examples_of_the_manual_are_workflows(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "workflows.md"
    (tmp_path / "steps.py").write_text("def square(n):\n    return n * n\n")
    loaded = []
    examples = re.findall(r"```(yaml|python)[^\n]*\n(.*?)```", page.read_text(), re.DOTALL)
    for number, (language, example) in enumerate(examples):
        text = example
        if language == "yaml" and not text.startswith("longpole:"):
            text = f"longpole: 1\n{text}" + ("" if "tasks:" in text else "tasks: {t: {run: x}}\n")
        path = tmp_path / f"example_{number}.{'py' if language == 'python' else 'yaml'}"
        path.write_text(text)
        loaded.append(load_workflow(path).name)

    assert loaded == ["tiles", "example_1", "example_2", "tiles", "squares"]
