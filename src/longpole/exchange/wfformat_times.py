"""Moments as WfFormat has them: ``executedAt`` is any text, and comes in three layouts.

``2020-12-27T18:23:37+00:00`` (ISO 8601), ``20200401T035043+0000`` (ISO 8601, short) and
``05-10-23T16:23:32Z`` (month, day, year: Pegasus 5). A moment before 1970 or after 2116 cannot be.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_NS = 1 << 62
_LAYOUTS = ("%Y%m%dT%H%M%S%z", "%m-%d-%yT%H:%M:%S%z", "%m-%d-%yT%H:%M:%S")
NOT_KNOWN = "1970-01-01T00:00:00Z"


class Moments:
    """Reads moments.

    Attributes:
        odd: One that could not be understood; empty if all could.
        without_zone: Whether one had no time zone, and none was given for those.
    """

    def __init__(self, zone: tzinfo | None) -> None:
        """Take where moments without a zone were written; None for here."""
        self._zone = zone
        self.odd = ""
        self.without_zone = False

    def ns(self, text: str | None) -> int | None:
        """Return a moment in ns of UTC; nothing if it is not known.

        Examples:
            >>> Moments(None).ns("20200401T035043+0000") == Moments(None).ns("04-01-20T03:50:43Z")
            True
        """
        if not text:
            return None
        moment = _parsed(text)
        if moment is None:
            self.odd = text
            return None
        if moment.tzinfo is None:
            self.without_zone |= self._zone is None
            moment = moment.replace(tzinfo=self._zone) if self._zone else _local(moment)
        ns = (moment - _EPOCH) // timedelta(microseconds=1) * 1000
        return ns if 0 < ns < _LATEST_NS else None


def shown_moment(ns: int | None) -> str:
    """Return a moment as WfFormat has it, to the microsecond.

    Examples:
        >>> shown_moment(1_585_713_043_250_000_000)
        '2020-04-01T03:50:43.250000+00:00'
    """
    return NOT_KNOWN if ns is None else (_EPOCH + timedelta(microseconds=ns // 1000)).isoformat()


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    for layout in _LAYOUTS:
        try:
            return datetime.strptime(text, layout)  # noqa: DTZ007  a zone is not always there
        except ValueError:
            pass
    return None


def _local(moment: datetime) -> datetime:
    try:
        return moment.astimezone()
    except (OverflowError, ValueError, OSError):
        return moment.replace(tzinfo=UTC)
