"""Word of Pythons that our hooks were loaded into: each leaves an empty file beside the rings.

Its name has the pid and, where the interpreter had just started, when it was ready and the CPU time it took;
one that is ready at nought tells how long imports have taken.
"""

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
            found = [word for word in map(_word, fresh) if word]
            pids, ready, spent = (list(one) for one in zip(*found, strict=True)) if found else ([], [], [])
            self._journal.note("reached", at=now_ns, pids=pids, ready=ready, spent=spent)

    def clear(self) -> None:
        """Take away those that were noted: the log has them."""
        for name in self._heard:
            try:
                os.unlink(os.path.join(self._folder, name))
            except OSError:
                pass  # already gone
        self._heard.clear()


def _word(name: str) -> tuple[int, int, int] | None:
    """Return pid, when the interpreter was ready, and its CPU time until then; 0 where it is not said.

    Examples:
        >>> _word("12-ff-a-0badcafe.python"), _word("12-0badcafe.python"), _word("x.python")
        ((12, 255, 10), (12, 0, 0), None)
    """
    pid, *times, _ = name.split("-") if "-" in name else ("", "")
    if not pid.isdecimal() or len(pid) >= 10:
        return None
    try:
        ready, spent = (min(int(moment, 16), 1 << 60) for moment in times)
    except ValueError:
        return int(pid), 0, 0
    return int(pid), ready, spent
