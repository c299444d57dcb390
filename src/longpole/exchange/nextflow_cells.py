"""Values as Nextflow writes them: for people (``1h 2m 3s``, ``218 MB``, ``97.8%``), or raw.

Raw moments and durations are milliseconds, raw sizes are bytes. A size for people counts in powers of 1024,
whatever its letters say. What is not understood is None, as is what cannot be (after the year 2106).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

_MS = 1_000_000
_UNITS = {"ms": _MS, "s": 1000 * _MS, "m": 60_000 * _MS, "h": 3_600_000 * _MS, "d": 86_400_000 * _MS}
_LATEST_NS = (1 << 32) * 1000 * _MS
_PART = r"(\d{1,12}(?:\.\d{1,9})?) ?(ms|[smhd])"
_PARTS = re.compile(_PART, re.ASCII)
_DURATION = re.compile(rf"(?:{_PART}\s*)+", re.ASCII)
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) ?([KMGTPE]?)i?B", re.ASCII | re.IGNORECASE)
_RAW = re.compile(r"\d{1,18}", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,9}", re.ASCII)
_PERCENT = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)%?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_ZONE = "The file's times are without a zone: they were taken to be of {where}; --timezone says otherwise."


class Moments:
    """Moments of a file; those without a zone are of one that is said, else of here."""

    def __init__(self, zone: tzinfo | None) -> None:
        """Take the zone of moments without one."""
        self._zone = zone
        self._guessed = False

    def moment(self, text: str) -> int | None:
        """Return nanoseconds of UTC."""
        if _RAW.fullmatch(text):
            return _believable(int(text) * _MS)
        try:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                self._guessed = self._guessed or self._zone is None
                moment = moment.replace(tzinfo=self._zone) if self._zone else moment.astimezone()
            since = moment - _EPOCH
        except (ValueError, OverflowError, OSError):
            return None
        return _believable((since.days * 86_400 + since.seconds) * 1000 * _MS + since.microseconds * 1000)

    def gaps(self) -> list[str]:
        """Return what must be said about the times."""
        here = datetime.now().astimezone().tzname()
        return [_NO_ZONE.format(where=f"this machine ({here})")] if self._guessed else []


def duration(text: str) -> int | None:
    """Return nanoseconds.

    Examples:
        >>> duration("1h 2m 3s"), duration("13.9s"), duration("218"), duration("13 parsecs")
        (3723000000000, 13900000000, 218000000, None)
    """
    if _RAW.fullmatch(text):
        return _believable(int(text) * _MS)
    if not _DURATION.fullmatch(text):
        return None
    return _believable(sum(round(float(number) * _UNITS[unit]) for number, unit in _PARTS.findall(text)))


def size(text: str) -> float | None:
    """Return bytes.

    Examples:
        >>> size("218.5 MB"), size("468 B"), size("468"), size("12 GHz")
        (229113856.0, 468.0, 468.0, None)
    """
    if _RAW.fullmatch(text):
        return float(text)
    found = _SIZE.fullmatch(text)
    return float(found[1]) * 1024.0 ** " KMGTPE".index(found[2].upper() or " ") if found else None


def percent(text: str) -> float | None:
    """Return a share in per cent.

    Examples:
        >>> percent("97.8%"), percent("250.0"), percent("-3%")
        (97.8, 250.0, None)
    """
    found = _PERCENT.fullmatch(text)
    return float(found[1]) if found else None


def whole(text: str) -> int | None:
    """Return a number of at most nine digits.

    Examples:
        >>> whole("137"), whole("-1"), whole("1.5")
        (137, -1, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


def _believable(moment_ns: int) -> int | None:
    return moment_ns if 0 <= moment_ns < _LATEST_NS else None
