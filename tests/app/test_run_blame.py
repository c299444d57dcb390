"""Where the makespan of a run of 200 tasks went: all of it is blamed, and hardly any has no name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.ledgers import Ledgers
from tests.running import PLACEMENTS, Bench, bench_of

MOST_UNNAMED = 0.02


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_all_of_the_makespan_is_blamed_and_hardly_any_has_no_name(bench: Bench, placement: str) -> None:
    ledgers = Ledgers(bench, placement)
    bench.run(*ledgers.lay_out("--placement", placement)[1:])

    explained = bench.json("explain", "latest")

    whole_s, blame = explained["makespan_s"], explained["blame"]
    assert sum(one["seconds"] for one in blame) == pytest.approx(whole_s)
    assert sum(one["seconds"] for one in blame if one["kind"] == "idle") <= MOST_UNNAMED * whole_s
    assert sum(one["seconds"] for one in explained["path"]) == pytest.approx(whole_s)
