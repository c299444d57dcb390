"""A workflow that tests begin with, and how they read it."""

from __future__ import annotations

import pytest

from longpole.describe.workflows import described
from longpole.describe.yaml_file import parse_yaml
from longpole.model.workflow import Workflow, WorkflowError

TILES = """\
longpole: 1
name: tiles
parameters: {parts: [aa, ab]}
sets:
  part:  {values: "{parts}"}
  image: {glob: "data/{image}.jpg", on_unreadable: drop}
  tile:  {from: "tiles/{tile}.png"}
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
    resources: {cores: 1, memory: 200 MB, gpus: 0, nodes: 1, ranks: 1}
    retry: {times: 2, memory: x2}
  total:
    inputs: {scores: "scores/{tile}.txt"}
    run: "xargs -rd '\\\\n' cat < {scores.list} > total.txt"
    outputs: [total.txt, {optional: notes.txt}]
results: [total.txt]
"""


def workflow(text: str, **chosen: str) -> Workflow:
    """Read a description; what it lacks at its beginning is added on line 1."""
    text = text if text.startswith("longpole") else f"longpole: 1\n{text}"
    return described(parse_yaml(text, "tiles.yaml"), "tiles.yaml", "/somewhere", chosen)


def complaint(text: str, **chosen: str) -> str:
    """Return what is said about a description that cannot be."""
    with pytest.raises(WorkflowError) as caught:
        workflow(text, **chosen)
    assert caught.value.exit_code == 2
    return str(caught.value)


def one_task(keys: str, above: str = "") -> str:
    """Return a description with one task of these keys, which begin on line 4 below what stands above."""
    lines = "".join(f"    {line}\n" for line in keys.splitlines())
    return f"longpole: 1\n{above}tasks:\n  train:\n{lines}"
