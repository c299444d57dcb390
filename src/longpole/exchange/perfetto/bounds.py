"""The numbers that the format holds: times, uuids of tracks, ids of processes and threads."""

from __future__ import annotations

from longpole.errors import UsageError
from longpole.units import Nanoseconds

NEVER = 1 << 63  # later than any time the format holds
UINT64 = 1 << 64
_INT32 = 1 << 31


def check_uuid(uuid: int) -> None:
    """Refuse what cannot name a track: 0 is Perfetto's own."""
    if not 0 < uuid < UINT64:
        raise UsageError(f"A track's uuid must be from 1 to 2**64 - 1, got {uuid}.")


def check_id(number: int | None) -> None:
    """Refuse what is no pid or tid."""
    if number is not None and not 0 <= number < _INT32:
        raise UsageError(f"A pid or tid must be from 0 to 2**31 - 1, got {number}.")


def check_time(at: Nanoseconds) -> None:
    """Refuse a moment that has no place on the time line."""
    if not 0 <= at < NEVER:
        raise UsageError(f"Perfetto holds times from 0 to 2**63 - 1 ns, got {at}. Shift all times.")
