"""Files from outside a workflow's folder: on the web, or elsewhere on this machine, under every placement."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.run.staging.webserver import web_server
from tests.running import PLACEMENTS, Bench, bench_of

_OUTSIDE = """\
longpole: 1
name: outside
files:
  model.bin: {url: "%(url)s/model.bin"}
  weights.bin: {path: nowhere/weights.bin, url: "%(url)s/model.bin"}
  beside/: ../beside/
  pool/: %(pool)s
  dotted.txt: ./../beside/./a
tasks:
  use:
    inputs: [model.bin, weights.bin, beside/, pool/, dotted.txt]
    run: "cat model.bin weights.bin beside/a pool/b dotted.txt > {out}"
    outputs: {out: all.txt}
  again:
    inputs: [model.bin]
    run: "cat model.bin > {out}"
    outputs: {out: again.txt}
"""
_URL_ONLY = """\
longpole: 1
name: web
files: {model.bin: "%s"}
tasks: {use: {inputs: [model.bin], run: "cat model.bin > {out}", outputs: {out: out.txt}}}
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_files_from_outside_reach_jobs(bench: Bench, placement: str) -> None:
    bench.write("served/model.bin", "web ")
    bench.write("beside/a", "beside ")
    bench.write("pool/b", "pool ")
    with web_server(bench.folder / "served") as url:
        facts = {"url": url, "pool": bench.folder / "pool"}
        bench.write("wf/outside.yaml", _OUTSIDE % facts)

        bench.run("wf/outside.yaml", "--placement", placement)

    assert (bench.results / "all.txt").read_text() == "web web beside pool beside "
    assert (bench.results / "again.txt").read_text() == "web "
    assert not (bench.folder / "wf" / "nowhere").exists()


def test_what_was_fetched_once_is_used_by_later_runs(bench: Bench) -> None:
    bench.write("served/model.bin", "web")
    with web_server(bench.folder / "served") as url:
        bench.write("web.yaml", _URL_ONLY % f"{url}/model.bin")
        bench.run("web.yaml")

    bench.run("web.yaml")
    cached = bench.json("status")
    bench.run("web.yaml", "--fresh")

    assert [each["cached"] for each in cached["types"]] == [1]
    assert (bench.results / "out.txt").read_text() == "web"


def test_another_address_is_fetched_anew(bench: Bench) -> None:
    bench.write("served/one", "one")
    bench.write("served/two", "two")
    with web_server(bench.folder / "served") as url:
        bench.write("web.yaml", _URL_ONLY % f"{url}/one")
        bench.run("web.yaml")
        bench.write("web.yaml", _URL_ONLY % f"{url}/two")
        bench.run("web.yaml")

    assert (bench.results / "out.txt").read_text() == "two"
