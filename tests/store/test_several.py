from __future__ import annotations

import os
from pathlib import Path

import pytest

from longpole.errors import RunNotFoundError
from longpole.store.several import find_runs, latest_series, series_runs
from tests.builders import HandmadeRun


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for at, (identity, name, series) in enumerate(
        [
            ("aaaa0001", "before", ""),
            ("aaaa0002", "before", ""),
            ("bbbb0003", "after", ""),
            ("cccc0004", "tiles", "tiles-1"),
            ("cccc0005", "tiles", "tiles-1"),
            ("dddd0006", "tiles", "tiles-2"),
        ]
    ):
        HandmadeRun(tmp_path, identity, name, series=series, stamp=f"20260924T00000{at}Z")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["before"], ["aaaa0001", "aaaa0002"]),
        (["after", "before"], ["bbbb0003", "aaaa0001", "aaaa0002"]),
        (["tiles-1"], ["cccc0004", "cccc0005"]),
        (["tiles"], ["cccc0004", "cccc0005", "dddd0006"]),
        (["tiles-*"], ["cccc0004", "cccc0005", "dddd0006"]),
        (["[ab]*e*"], ["aaaa0001", "aaaa0002", "bbbb0003"]),
        (["bbbb"], ["bbbb0003"]),
        (["aaaa0001"], ["aaaa0001"]),
        (["latest"], ["dddd0006"]),
        (["latest:before", "before"], ["aaaa0002", "aaaa0001"]),
    ],
)
def test_words_mean_runs(runs: Path, words: list[str], ids: list[str]) -> None:
    assert [entry.manifest.id for entry in find_runs(words, runs)] == ids


@pytest.mark.parametrize("word", ["exp/a", "exp/1", "exp/*"])
def test_a_name_may_look_like_a_path(tmp_path: Path, word: str) -> None:
    for identity in ("eeee0007", "eeee0008"):
        HandmadeRun(tmp_path, identity, "exp_a", series="exp/1").save(name="exp/a")

    assert [entry.manifest.id for entry in find_runs([word], tmp_path)] == ["eeee0007", "eeee0008"]


def test_a_path_means_its_run(runs: Path) -> None:
    path = str(next(runs.glob("*bbbb0003")))

    assert [entry.manifest.id for entry in find_runs([path], runs)] == ["bbbb0003"]


@pytest.mark.parametrize("word", ["aaaa", "nosuch", "no*", ""])
def test_a_word_that_means_none_or_too_many_is_refused(runs: Path, word: str) -> None:
    with pytest.raises(RunNotFoundError):
        find_runs([word], runs)


def test_the_latest_series_is_the_users_own(runs: Path, tmp_path: Path) -> None:
    stamp = "20260925T000000Z"
    HandmadeRun(tmp_path, "eeee0007", "tiles", series="foreign", user=os.getuid() + 1, stamp=stamp)

    assert latest_series(runs) == "tiles-2"
    assert [entry.manifest.id for entry in series_runs("tiles-1", runs)] == ["cccc0004", "cccc0005"]
    assert latest_series(tmp_path / "nosuch") == ""
