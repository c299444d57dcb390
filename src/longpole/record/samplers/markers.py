"""Word of Pythons that our hooks were loaded into: each leaves an empty file beside the rings, by its pid."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.journal import Journal

# As hooks/site/longpole_watch.py has it, which is loaded by itself and shares nothing with us.
MARKER_SUFFIX = ".python"


class Markers:
    """Takes the files in, and takes them away once the log has what they say."""

    def __init__(self, journal: Journal, folder: str) -> None:
        """Look at files of this folder."""
        self._journal = journal
        self._folder = folder
        self._heard: set[str] = set()

    def take(self, names: list[str], now_ns: int) -> None:
        """Note the Pythons among these files that have not been heard of."""
        fresh = [name for name in names if name.endswith(MARKER_SUFFIX) and name not in self._heard]
        if fresh:
            self._heard.update(fresh)
            pids = [name.partition("-")[0] for name in fresh]
            numbers = [int(pid) for pid in pids if pid.isdecimal() and len(pid) < 10]
            self._journal.note("reached", at=now_ns, pids=numbers)

    def clear(self) -> None:
        """Take away those that were noted: the log has them."""
        for name in self._heard:
            try:
                os.unlink(os.path.join(self._folder, name))
            except OSError:
                pass  # already gone
        self._heard.clear()
