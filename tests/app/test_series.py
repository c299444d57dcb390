"""Series as they are planned: which groups there are, in which order, and what is missing."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.app.series import Series, SeriesGroup, Turn, groups_of, next_name, placements_of, turns_made
from longpole.errors import NewerLogError, UsageError
from longpole.log.frames import FILE_HEADER, LOG_MAGIC, LOG_VERSION
from longpole.run.request import Request, as_text
from tests.builders import HandmadeRun

REQUEST = Request(workflow="/w/tiles.yaml", chosen={"scale": "tiny"}, out="/w/results", reuse=False)
GROUPS = groups_of(["baseline", "clustering"], [])


def run_of(series: Series, turn: Turn, runs: Path, identity: str, **facts: object) -> HandmadeRun:
    """Make a run of a series, as its driver writes it down."""
    run = HandmadeRun(
        runs, identity, name="tiles", series=series.name, series_round=turn.round_number, joint=True, **facts
    )
    request = msgspec.structs.replace(
        series.request_of(turn.group), work=f"/tmp/{identity}", scratch="/tmp/s"
    )
    with run.driver(placement=turn.group.placement, request=as_text(request)) as driver:
        driver.end_well(1000)
    return run


@given(st.text("abc-1", min_size=1), st.integers(1, 6), st.integers(1, 4))
def test_in_each_round_each_group_has_one_turn(name: str, rounds: int, size: int) -> None:
    groups = groups_of([f"p{at}" for at in range(size)], [])

    turns = Series(name, REQUEST, rounds, groups).turns()

    assert [turn.round_number for turn in turns] == [at // size + 1 for at in range(rounds * size)]
    assert len(set(turns)) == rounds * size


def test_the_order_is_shuffled_and_the_same_again() -> None:
    first = Series("tiles-1", REQUEST, 20, GROUPS).turns()

    assert first == Series("tiles-1", REQUEST, 20, GROUPS).turns()
    assert 4 <= sum(first[at].group is GROUPS[0] for at in range(0, 40, 2)) <= 16


def test_a_longer_series_begins_like_a_shorter_one() -> None:
    assert (
        Series("x", REQUEST, 9, GROUPS).turns()[:8] == Series("x", REQUEST, 4, GROUPS).turns()
    )  # so that more rounds can be added


def test_each_placement_is_joined_with_each_choice_of_values() -> None:
    found = groups_of(["links", "baseline"], ["variant=published,tuned", "scale=tiny,small"])

    assert len(found) == 8
    assert found[0] == SeriesGroup("links", (("variant", "published"), ("scale", "tiny")))


@pytest.mark.parametrize("text", ["variant", "variant=", "variant=a", "=a,b", "variant=a,,b", "variant=a,a"])
def test_values_that_cannot_vary_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="at least two values"):
        groups_of(["links"], [text])


def test_a_parameter_varies_once() -> None:
    with pytest.raises(UsageError, match="twice"):
        groups_of(["links"], ["a=1,2", "a=3,4"])


@pytest.mark.parametrize("name", ["placement", "name", "series", "workflow", "machine"])
def test_a_parameter_that_is_called_like_a_fact_of_all_runs_does_not_vary(name: str) -> None:
    with pytest.raises(UsageError, match=f"--vary {name}: runs are told apart by their own {name}"):
        groups_of(["links"], [f"{name}=a,b"])


def test_all_placements_are_the_four_of_the_paper() -> None:
    assert placements_of("all") == ("baseline", "container-installed", "shared-fs", "clustering")
    assert placements_of("all,links,baseline")[-1] == "links"
    with pytest.raises(UsageError, match="no placement 'nfs'"):
        placements_of("nfs")


def test_what_ended_well_is_not_made_again(tmp_path: Path) -> None:
    series = Series("tiles-1", REQUEST, 2, GROUPS)
    first, second, third, _ = series.turns()
    run_of(series, first, tmp_path, "11111111")
    run_of(series, second, tmp_path, "22222222", exit_code=1)
    run_of(series, third, tmp_path, "33333333", exit_code=130)
    HandmadeRun(tmp_path, "44444444", name="tiles")

    made = turns_made(series, str(tmp_path))

    assert {turn: entry.manifest.id for turn, entry in made.items()} == {first: "11111111"}
    assert next_name("tiles", str(tmp_path)) == "tiles-2"


@pytest.mark.parametrize("written", [b"", b"of something else"])
def test_a_run_whose_driver_left_nothing_to_read_is_made_again(tmp_path: Path, written: bytes) -> None:
    series = Series("tiles-1", REQUEST, 1, GROUPS)
    first, second = series.turns()
    [log] = run_of(series, first, tmp_path, "11111111").logs()
    log.write_bytes(written)
    run_of(series, second, tmp_path, "22222222")

    assert list(turns_made(series, str(tmp_path))) == [second]


def test_a_series_of_a_later_version_is_not_gone_on_with(tmp_path: Path) -> None:
    series = Series("tiles-1", REQUEST, 1, GROUPS)
    [log] = run_of(series, series.turns()[0], tmp_path, "11111111").logs()
    header = LOG_MAGIC + (LOG_VERSION + 1).to_bytes(2, "little") + bytes(FILE_HEADER.size - 14)
    log.write_bytes(header + zlib.crc32(header).to_bytes(4, "little"))

    with pytest.raises(NewerLogError):
        turns_made(series, str(tmp_path))


def test_a_series_that_was_asked_for_otherwise_is_not_gone_on_with(tmp_path: Path) -> None:
    series = Series("tiles-1", REQUEST, 2, GROUPS)
    run_of(series, series.turns()[0], tmp_path, "11111111")
    larger = msgspec.structs.replace(REQUEST, chosen={"scale": "small"})

    with pytest.raises(
        UsageError, match="another --set: run 11111111 had scale=tiny, and now it is scale=small"
    ):
        turns_made(Series("tiles-1", larger, 2, GROUPS), str(tmp_path))


def test_a_run_that_was_resumed_with_other_options_is_made_again(tmp_path: Path) -> None:
    series = Series("tiles-1", REQUEST, 1, GROUPS)
    first, second = series.turns()
    resumed = run_of(series, first, tmp_path, "11111111")
    fewer = msgspec.structs.replace(series.request_of(first.group), cores=1)
    with resumed.driver(at=2000, placement=first.group.placement, request=as_text(fewer)) as driver:
        driver.end_well(3000)
    run_of(series, second, tmp_path, "22222222")

    assert list(turns_made(series, str(tmp_path))) == [second]


def test_placements_can_be_added_to_a_series(tmp_path: Path) -> None:
    series = Series("tiles-1", REQUEST, 1, GROUPS)
    run_of(series, series.turns()[0], tmp_path, "11111111")
    more = Series("tiles-1", REQUEST, 1, groups_of(["links"], []))

    assert not set(turns_made(more, str(tmp_path))) & set(more.turns())
