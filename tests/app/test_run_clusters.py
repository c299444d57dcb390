"""Runs with clusters that are killed between two of them: nothing is passed over, nothing done twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.test_run_kill import KINDS
from tests.running import Bench, bench_of, until

# The scores of a picture have its label, but need a model that is made last: they are a second cluster.
WORKFLOW = """
longpole: 1
name: scores
parameters: {{told: "{told}"}}
sets:
  image: {{values: [a, b]}}
  tile: {{from: "tiles/{{image}}/{{tile}}.png"}}
tasks:
  cut:
    for_each: [image]
    run: "echo cut {{image}} >> {{told}}; touch tiles/{{image}}/1.png tiles/{{image}}/2.png"
    outputs: ["tiles/{{image}}/{{tile}}.png"]
    cluster: "of {{image}}"
  train:
    run: "echo train >> {{told}}; test -e {{told}}.go || sleep 60; touch model"
    outputs: [model]
  score:
    for_each: [image, tile]
    inputs: ["tiles/{{image}}/{{tile}}.png", model]
    run: "echo score {{image}} {{tile}} >> {{told}}; echo {{tile}} > {{out}}"
    outputs: {{out: "scores/{{image}}/{{tile}}.txt"}}
    cluster: "of {{image}}"
results: ["scores/{{image}}/{{tile}}.txt"]
"""
SCORES = [f"score {image} {tile}" for image in "ab" for tile in "12"]


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


def test_tasks_that_never_ran_are_not_taken_for_done_with_their_cluster(bench: Bench) -> None:
    told = bench.folder / "told"
    bench.write("scores.yaml", WORKFLOW.format(told=told))
    launcher = bench.start("run", "scores.yaml", "--placement", "clustering", "-c", "2")
    until(lambda: told.exists() and "train" in told.read_text())
    KINDS["driver"](bench, launcher)
    launcher.wait(60)
    told.with_suffix(".go").touch()
    bench.run("--resume")
    goes_on = told.read_text().splitlines()
    bench.run("--resume")

    assert sorted(goes_on) == ["cut a", "cut b", *SCORES, "train", "train"]
    assert told.read_text().splitlines() == goes_on
    assert len(list(bench.results.glob("scores/*/*.txt"))) == len(SCORES)
