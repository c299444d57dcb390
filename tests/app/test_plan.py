"""``longpole plan``: what a user types, and what comes of it."""

from __future__ import annotations

import json

import pytest

from longpole.app.main import cli
from longpole.app.plan import Asked, clustering_of, following
from longpole.errors import UsageError
from longpole.model.plan import Placement
from longpole.model.workflow import WorkflowError

TILES = """
longpole: 1
name: tiles
parameters: {parts: [aa, ab]}
sets:
  part: {values: "{parts}"}
  tile: {from: "tiles/{tile}.png"}
tasks:
  cut:
    inputs: {src: data/raw.png}
    code: [cut.py]
    run: "python cut.py {src} tiles/"
    outputs: ["tiles/{tile}.png"]
  score:
    for_each: [tile]
    inputs: {png: "tiles/{tile}.png"}
    run: "wc -c {png} > {out}"
    outputs: {out: "scores/{tile}.txt"}
  total:
    inputs: {scores: "scores/{tile}.txt"}
    run: "xargs -rd '\\\\n' cat < {scores.list} > total.txt"
    outputs: [total.txt, {optional: notes.txt}]
  count:
    for_each: [part]
    inputs: {src: data/raw.png}
    run: "wc -c {src} > {out}"
    outputs: {out: "counts/{part}.txt"}
results: [total.txt]
"""
CHAIN = """
longpole: 1
name: chain
tasks:
  one: {run: "cat {a} > {b}", inputs: {a: a.txt}, outputs: {b: b.txt}}
  two: {run: "cat {b} > {c}", inputs: {b: b.txt}, outputs: {c: c.txt}}
"""


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """A folder with two workflows, and a way to call the command in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "tiles.yaml").write_text(TILES)
    (tmp_path / "chain.yaml").write_text(CHAIN)

    def call(*arguments):
        code = cli(["plan", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def json_of(here, *arguments):
    code, out, err = here(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_a_plan_of_a_workflow_whose_tasks_are_known(here, tmp_path):
    (tmp_path / "a.txt").write_text("12345")

    plan = json_of(here, "chain.yaml", "--placement", "baseline")

    assert plan["schema_version"] == 1
    assert (plan["workflow"], plan["placement"], plan["cluster"]) == ("chain", "baseline", "none")
    assert (plan["jobs"], plan["auxiliary_jobs"], plan["levels"]) == (2, 6, [1, 1])
    assert (plan["files_staged_in"], plan["files_moved"], plan["bytes_moved"]) == (2, 4, None)
    assert plan["at_least"] == {"bytes_moved": 5}
    assert (plan["outside_files"], plan["missing_files"]) == (1, 0)
    assert [each["type"] for each in plan["types"]] == ["one", "two"]
    assert plan["types"][1]["after"] == ["one"]


def test_on_one_machine_nothing_moves(here):
    plan = json_of(here, "chain.yaml")

    assert (plan["placement"], plan["files_moved"], plan["bytes_moved"]) == ("links", 0, 0)


def test_what_is_known_during_the_run_only_is_null_with_how_much_it_is_at_least(here):
    plan = json_of(here, "tiles.yaml", "--placement", "baseline")

    assert (plan["jobs"], plan["files_staged_in"], plan["files_moved"]) == (None, None, None)
    assert plan["at_least"]["jobs"] == 3
    assert plan["unknown_sets"] == ["tile"]
    assert plan["levels"] == [3, None, None]
    score = next(each for each in plan["types"] if each["type"] == "score")
    assert (score["tasks"], score["known_after"]) == (None, {"tile": ["cut"]})


def test_a_parameter_is_chosen(here):
    plan = json_of(here, "tiles.yaml", "--set", "parts=[aa, ab, ac]")

    assert next(each for each in plan["types"] if each["type"] == "count")["tasks"] == 3


def test_text_says_all_on_one_screen(here):
    code, out, err = here("tiles.yaml")

    assert (code, err) == (0, "")
    assert len(out.splitlines()) <= 30
    assert "at least 3 jobs" in out
    assert "score: needs the members of 'tile', known when 'cut' has run." in " ".join(out.split())
    assert "2 of 2 files from outside are not there yet" in " ".join(out.split())
    assert "longpole run tiles.yaml" in out


def test_a_graph_for_graphviz(here):
    code, out, err = here("tiles.yaml", "--format", "dot")

    assert (code, err) == (0, "")
    assert out.startswith('digraph "tiles" {')
    assert '"cut" -> "score";' in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.yaml"], "none.yaml"),
        (["chain.yaml", "--placement", "moon"], "moon"),
        (["chain.yaml", "--cluster", "pairs"], "'pairs' is no way to put tasks together"),
        (["chain.yaml", "--cluster", "tasks=x"], "'tasks=x' needs a whole number"),
        (["chain.yaml", "--cluster", "tasks=0"], "cannot have 0 tasks"),
        (["chain.yaml", "--set", "scale"], "--set takes NAME=VALUE, not 'scale'"),
        (["chain.yaml", "--set", "scale=paper"], "scale"),
        (["chain.yaml", "--json", "--format", "dot"], "give one of them"),
        ([], "WORKFLOW"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(here, arguments, words):
    code, out, err = here(*arguments)

    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_clusters_that_wait_for_each_other_are_named(here, tmp_path):
    text = CHAIN.replace("outputs: {c: c.txt}", "outputs: {c: c.txt}, cluster: x").replace(
        "{b: b.txt}}", "{b: b.txt}, cluster: x}", 1
    )
    (tmp_path / "loop.yaml").write_text(
        text.replace("{b: b.txt}, outputs", "{b: m.txt}, outputs")
        + ('  mid: {run: "cat {b} > {m}", inputs: {b: b.txt}, outputs: {m: m.txt}}\n')
    )

    code, out, err = here("loop.yaml", "--placement", "clustering")

    assert (code, out) == (2, "")
    assert "Clusters would wait for each other" in err
    assert "'task mid'" in err
    assert here("loop.yaml")[0] == 0


def test_clusterings_are_typed_in_six_ways():
    for text in ("none", "label", "whole", "tasks=8", "jobs=4", "bytes=1000"):
        assert str(clustering_of(text)) == text
    for wrong in ("", "=", "tasks", "tasks=", "tasks=-1", "tasks=1.5", "bytes=x", "horizontal", "tasks=²"):
        with pytest.raises((UsageError, WorkflowError)):
            clustering_of(wrong)


def test_what_comes_next_can_be_typed():
    asked = Asked("my flow.yaml", Placement.BASELINE, "tasks=2", {"scale": "a b"})

    assert following(asked) == (
        "longpole run 'my flow.yaml' --set 'scale=a b' --placement baseline --cluster tasks=2",
        "longpole plan 'my flow.yaml' --set 'scale=a b' --placement clustering",
    )
    assert following(Asked("w"))[0] == "longpole run w"
