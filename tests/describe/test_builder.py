"""Workflows that a program describes are the same as those of a file."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

import longpole
from longpole import Workflow
from longpole.describe.functions import NamedFunction
from longpole.model.workflow import Call, Place, Resources, Result, Retry, Uses, WorkflowError
from longpole.model.workflow import Workflow as Described
from tests.describe.tiles import TILES, workflow


def double(x: int) -> int:
    return 2 * x


def without_lines(found: Described) -> Described:
    def bare(template):
        inputs, outputs = (
            tuple(dataclasses.replace(use, line=0) for use in each)
            for each in (template.inputs, template.outputs)
        )
        return dataclasses.replace(template, inputs=inputs, outputs=outputs, line=0)

    return dataclasses.replace(
        found,
        file="",
        folder="",
        results_line=0,
        sets={name: dataclasses.replace(each, line=0) for name, each in found.sets.items()},
        templates={name: bare(template) for name, template in found.templates.items()},
    )


def tiles() -> Workflow:
    made = Workflow("tiles")
    made.parameters(parts=["aa", "ab"])
    made.set("part", values="{parts}")
    made.set("image", glob="data/{image}.jpg", on_unreadable="drop")
    made.set("tile", made="tiles/{tile}.png")
    made.task(
        "cut",
        run="python cut.py {src} tiles/",
        inputs={"src": "data/raw.png"},
        code="cut.py",
        outputs="tiles/{tile}.png",
    )
    made.task(
        "score",
        run="wc -c {png} > {out}",
        for_each="tile",
        inputs={"png": "tiles/{tile}.png"},
        outputs={"out": "scores/{tile}.txt"},
        cores=1,
        memory="200 MB",
        retry={"times": 2, "memory": "x2"},
    )
    made.task(
        "total",
        run="xargs -rd '\\n' cat < {scores.list} > total.txt",
        inputs={"scores": "scores/{tile}.txt"},
        outputs=["total.txt", {"optional": "notes.txt"}],
    )
    made.results("total.txt")
    return made


def test_a_program_and_a_file_describe_the_same():
    assert without_lines(tiles().build()) == without_lines(workflow(TILES))


def test_the_folder_is_that_of_the_program_and_lines_are_its_own():
    found = tiles().build()

    assert found.folder == os.path.dirname(__file__)
    assert found.file == __file__
    line = found.templates["cut"].line
    assert "made.task(" in "".join(Path(__file__).read_text().splitlines()[line - 1 : line + 1])


def test_another_folder_can_be_given(tmp_path):
    made = Workflow("x", folder=tmp_path)
    made.task("a", run="true")

    assert made.build().folder == str(tmp_path)


def test_calls_take_results_of_others():
    made = Workflow("x")
    first = made.call("first", double, 3, cores=2, retry=1)
    second = made.call("second", json.dumps, [first, "{src}"], inputs={"src": "a.txt"}, indent=2)
    made.call("third", "steps:last", second)

    templates = made.build().templates

    assert templates["first"].call == Call(double, (3,))
    assert (templates["first"].resources, templates["first"].retry) == (Resources(2), Retry(1))
    assert templates["second"].call == Call(json.dumps, ([Result("first"), "{src}"],), {"indent": 2})
    assert templates["second"].inputs == (Uses("src", ("a.txt",), line=templates["second"].line),)
    assert templates["third"].call == Call(
        NamedFunction(os.path.dirname(__file__), "steps", "last"), (Result("second"),)
    )


def test_files_and_defaults_are_given_as_in_a_file():
    made = Workflow("x")
    made.file("a.txt", path=Path("/data/a.txt"), bytes=5)
    made.file("b.txt", url="https://x/b.txt")
    made.defaults(image="i.sqsh", environment={"A": 1}, cores=3)
    made.task(
        "t",
        run="cat {f}",
        inputs={"f": ["a.txt", "b.txt"]},
        program="p",
        checkpoints=["c"],
        cluster="all",
        timeout="1 h",
    )

    found = made.build()

    assert found.files == {"a.txt": Place("/data/a.txt", "", 5), "b.txt": Place("", "https://x/b.txt")}
    task = found.templates["t"]
    assert (task.image, task.environment, task.resources.cores) == ("i.sqsh", {"A": "1"}, 3)
    assert (task.program, task.checkpoints, task.cluster, task.timeout_s) == ("p", ("c",), "all", 3600.0)


def test_complaints_are_those_of_a_file_with_the_line_of_the_program():
    made = Workflow("x")
    made.task("t", run="true", memory="lots")  # this line

    with pytest.raises(WorkflowError) as caught:
        made.build()

    line = next(
        n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if text.endswith("# this line")
    )
    assert str(caught.value).startswith(f"{__file__}:{line}: tasks.t.resources.memory: 'lots' is not a size.")


def test_a_name_that_is_given_twice_is_refused_where_it_happens():
    made = Workflow("x")
    made.task("t", run="true")

    with pytest.raises(WorkflowError, match=r"tasks.t: This name is given a second time; keep one."):
        made.task("t", run="false")
    with pytest.raises(WorkflowError, match="A name must be a text, not a int"):
        made.task(3, run="false")  # type: ignore[arg-type]


def test_an_option_that_there_is_not_is_told_with_what_may_be_meant():
    made = Workflow("x")
    made.task("t", run="true", output=["a"])  # type: ignore[call-arg]

    with pytest.raises(WorkflowError, match="Did you mean 'outputs'"):
        made.build()


def test_a_local_function_is_refused():
    made = Workflow("x")
    made.call("t", lambda: 3)

    with pytest.raises(WorkflowError, match="is a lambda or within another function"):
        made.build()


def test_many_tasks_and_long_lists_cost_what_they_hold():
    made = Workflow("many", folder="/somewhere")
    names = [f"images/{n}.jpg" for n in range(40_000)]
    made.task("all", run="ls {images.list}", inputs={"images": names})
    for n in range(2_000):
        made.task(f"t{n}", run="true", inputs=[f"f{n - 1}"] if n else [], outputs=[f"f{n}"])

    found = made.build()

    assert found.templates["all"].inputs[0].patterns == tuple(names)
    assert len(found.templates) == 2_001


def test_the_name_that_users_import_is_this_one():
    assert longpole.Workflow is Workflow
    assert longpole.Workflow.__module__ == "longpole.describe.builder"
