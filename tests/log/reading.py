"""Reading a log file in tests."""

from __future__ import annotations

from longpole.log.files import read_logs
from longpole.log.frames import Frame


def frames_of(path: str) -> list[Frame]:
    """Return the intact frames of all logs in a file."""
    return [frame for frames, _ in read_logs(path) for frame in frames]
