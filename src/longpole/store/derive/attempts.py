"""Attempts of jobs as the drivers of a run told them: which start, end and phases belong together.

Several drivers may have worked on a run, one after the other, each with a log of its own: a session. An
attempt has the first start that was told of it. Of several ends the one counts that commits the job, else the
last. What was told twice, or ends what never began, is counted: only a damaged log has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from longpole.store.derive.notes import Notes
from longpole.store.derive.workflow_notes import End, Part, Parts, Start

# A job and which try of it.
Key = tuple[int, int]
COMMITTED = 0
# What the driver itself did is told of a job that is none.
NO_JOB = 0


class Attempts:
    """All attempts; each note comes with the number of its session.

    Attributes:
        starts: When each began.
        ends: How each ended.
        repeated: How many starts and ends were told again.
    """

    def __init__(self) -> None:
        """Start with none."""
        self.starts: dict[Key, tuple[int, Start]] = {}
        self.ends: dict[Key, tuple[int, End]] = {}
        self.repeated = 0
        self._told: list[tuple[int, Parts | End]] = []

    def take(self, session: int, notes: Notes) -> None:
        """Add what the driver of one session told; sessions come in their order."""
        for start in notes.of(Start):
            self._take_start(session, start)
        for end in notes.of(End):
            self._take_end(session, end)
        self._told += [(session, parts) for parts in notes.of(Parts)]
        self._told += [(session, end) for end in notes.of(End) if end.parts]

    @property
    def keys(self) -> list[Key]:
        """All attempts, in the order in which they were first told of."""
        parts = [key for _, key, _ in self.parts() if key[0] != NO_JOB]
        return list(dict.fromkeys([*self.starts, *self.ends, *parts]))

    def parts(self) -> Iterator[tuple[int, Key, tuple[Part, ...]]]:
        """Yield phases as they were told together: the session, the attempt, and its phases."""
        for session, told in self._told:
            yield session, (told.job, told.attempt), told.parts

    def _take_start(self, session: int, start: Start) -> None:
        key = start.job, start.attempt
        self.repeated += key in self.starts
        self.starts.setdefault(key, (session, start))

    def _take_end(self, session: int, end: End) -> None:
        key = end.job, end.attempt
        before = self.ends.get(key)
        self.repeated += before is not None
        if before is None or before[1].status != COMMITTED:
            self.ends[key] = session, end
