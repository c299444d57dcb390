"""Moments: three layouts, with a zone or without, and texts that are none."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from longpole.exchange.wfformat_times import Moments, shown_moment

MOMENT = 1_683_735_812_000_000_000


@pytest.mark.parametrize(
    "text",
    [
        "2023-05-10T16:23:32+00:00",
        "2023-05-10T16:23:32Z",
        "2023-05-10T06:23:32-10:00",
        "2023-05-10T16:23:32.000000Z",
        "20230510T162332+0000",
        "20230510T182332+0200",
        "05-10-23T16:23:32Z",
    ],
)
def test_every_layout_is_the_same_moment(text: str) -> None:
    moments = Moments(ZoneInfo("Asia/Tokyo"))

    assert (moments.ns(text), moments.odd, moments.without_zone) == (MOMENT, "", False)


@pytest.mark.parametrize("text", ["2023-05-10T16:23:32", "05-10-23T16:23:32", "20230510T162332"])
def test_without_a_zone_it_is_of_the_one_that_is_given(text: str) -> None:
    here, there = Moments(None), Moments(ZoneInfo("Europe/Paris"))

    assert there.ns(text) == MOMENT - 7_200_000_000_000
    assert not there.without_zone
    assert here.ns(text) is not None
    assert here.without_zone


@pytest.mark.parametrize("text", ["soon", "2023-13-01T00:00:00Z", "1683735812", "99-99-99T00:00:00Z"])
def test_text_that_is_no_moment_is_kept_to_be_told(text: str) -> None:
    moments = Moments(UTC)

    assert moments.ns(text) is None
    assert moments.odd == text


@pytest.mark.parametrize(
    "text", [None, "", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01"]
)
def test_moment_that_cannot_be_is_not_known(text: str | None) -> None:
    moments = Moments(None)

    assert (moments.ns(text), moments.odd) == (None, "")


def test_moment_is_read_as_it_was_written() -> None:
    assert Moments(None).ns(shown_moment(MOMENT + 123_456_000)) == MOMENT + 123_456_000
    assert Moments(None).ns(shown_moment(None)) is None
