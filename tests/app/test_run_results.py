"""Results of one run after the other, in a folder where a user has files, too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.running import Bench, bench_of

_USAGE = 2
_MODEL = """\
longpole: 1
name: model
tasks:
  train: {run: "mkdir model; touch %s; echo done > log.txt", outputs: [model/, log.txt]}
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


def test_a_result_directory_has_what_the_last_run_made_and_nothing_else(bench: Bench) -> None:
    for made in ("model/a model/b", "model/a model/c"):
        bench.write("model.yaml", _MODEL % made)
        bench.run("model.yaml")

    assert sorted(path.name for path in (bench.results / "model").iterdir()) == ["a", "c"]


@pytest.mark.parametrize("mine", ["model/notes", "log.txt/notes"])
def test_results_that_would_replace_a_users_folder_are_refused_before_anything_runs(
    bench: Bench, mine: str
) -> None:
    bench.write(f"results/{mine}", "mine")
    bench.write("model.yaml", _MODEL % "model/a")

    done = bench.call("run", "model.yaml")

    assert done.returncode == _USAGE
    assert "Results cannot go to" in done.stderr
    assert "another folder with --out." in " ".join(done.stderr.split())
    assert (bench.results / mine).read_text() == "mine"
    assert bench.runs() == []
