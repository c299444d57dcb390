"""Files from outside a workflow's folder: elsewhere on this machine, under every placement."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.running import PLACEMENTS, Bench, bench_of

_OUTSIDE = """\
longpole: 1
name: outside
files:
  beside/: ../beside/
  pool/: %s
  dotted.txt: ./../beside/./a
tasks:
  use:
    inputs: [beside/, pool/, dotted.txt]
    run: "cat beside/a pool/b dotted.txt > {out}"
    outputs: {out: all.txt}
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_files_from_outside_reach_jobs(bench: Bench, placement: str) -> None:
    bench.write("beside/a", "beside ")
    bench.write("pool/b", "pool ")
    bench.write("wf/outside.yaml", _OUTSIDE % (bench.folder / "pool"))

    bench.run("wf/outside.yaml", "--placement", placement)

    assert (bench.results / "all.txt").read_text() == "beside pool beside "
