"""Attempts of jobs as columns, and when those ended whose end nobody told.

Method: an attempt without an end is unfinished. It ended with its processes, where all of these are known and
have ended, else when its driver did. The same holds for one of which a later driver says that it was broken
off: that one came after it, and only knows that it is over.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longpole.store.derive.arrays import Whole
from longpole.store.derive.attempts import COMMITTED, Attempts
from longpole.store.derive.drivers import Drivers
from longpole.store.derive.known import Known
from longpole.store.derive.workflow_notes import End, Start
from longpole.store.derive.workflow_parts import PartColumns

OK, FAILED, UNFINISHED = range(3)
_STOPPED = 2
_LATEST = np.iinfo(np.int64).max


class AttemptColumns:
    """All attempts; times are UTC.

    Attributes:
        places: The place of each attempt.
        job: Which job it is of.
        attempt: Which try of that.
        session: Which driver began it.
        ready: When it could have begun.
        start: When it began.
        end: When it ended, once that is settled.
        status: How it ended.
        cause: Why it failed; empty where nothing was said.
        parts: What attempts consist of.
        headless: How many were told of that never began.
    """

    def __init__(self, attempts: Attempts, drivers: Drivers) -> None:
        """Take all that was told of attempts."""
        keys = attempts.keys
        self.places = {key: place for place, key in enumerate(keys)}
        self.job = np.array([job for job, _ in keys], np.int64)
        self.attempt = np.array([attempt for _, attempt in keys], np.int64)
        self.headless = sum(key not in attempts.starts for key in keys)
        self.parts = PartColumns(attempts, self.places)
        for name in ("start", "end"):
            self.parts.numbers[name] = drivers.utc(self.parts.session, self.parts.numbers[name])
        starts, ends = [attempts.starts.get(key) for key in keys], [attempts.ends.get(key) for key in keys]
        self._take_ends(ends, drivers)
        self._take_starts(starts, drivers)
        self._is_open = (self._told_end == _LATEST) | (self._stopped & (self._end_session != self.session))
        self.end = self._told_end

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.job)

    @property
    def last(self) -> Whole:
        """Places of the last attempts of all jobs."""
        order = np.lexsort((self.attempt, self.job))
        jobs = self.job[order]
        return order[np.append(jobs[1:] != jobs[:-1], True)] if len(order) else order

    def settle(self, known: Sequence[Known | None], last_ns: Whole) -> None:
        """Find the ends that nobody told: of processes of parts, or by when drivers worked last."""
        parts, rows = self.parts, np.flatnonzero(self._is_open)
        end = self._told_end.copy()
        end[rows] = np.minimum(last_ns[self.session[rows]], end[rows])
        for place, gone_ns in self._gone(known).items():
            end[place] = min(int(self._told_end[place]), gone_ns)
        of_open = ~parts.going & (parts.owner >= 0)
        of_open[of_open] = self._is_open[parts.owner[of_open]]
        np.maximum.at(end, parts.owner[of_open], parts.numbers["end"][of_open])
        self.end = np.maximum(end, self.start)
        around = np.where(parts.owner >= 0, self.end[parts.owner] if len(self) else 0, last_ns[parts.session])
        parts.numbers["end"] = np.where(parts.going, around, parts.numbers["end"])
        parts.fit(self.start, self.end)

    def _gone(self, known: Sequence[Known | None]) -> dict[int, int]:
        """Return when all processes of an attempt were gone that has no end of its own."""
        ends: dict[int, list[int | None]] = {}
        for owner, one in zip(self.parts.owner.tolist(), known, strict=True):
            if owner >= 0 and one is not None and self._is_open[owner]:
                ends.setdefault(owner, []).append(one.end_ns)
        return {
            place: max(end for end in some if end is not None)
            for place, some in ends.items()
            if None not in some
        }

    def _take_ends(self, told: list[tuple[int, End] | None], drivers: Drivers) -> None:
        ends = [end for _, end in filter(None, told)]
        rows = np.array([one is not None for one in told], np.bool_)
        sessions = np.array([session for session, _ in filter(None, told)], np.int64)
        status = np.array([end.status for end in ends], np.int64)
        self._told_end, self._end_session = np.full(len(rows), _LATEST), np.zeros(len(rows), np.int64)
        self._told_end[rows] = drivers.utc(sessions, np.array([end.at for end in ends], np.int64))
        self._end_session[rows] = sessions
        began = np.array([end.began for end in ends], np.int64)
        self._began = np.zeros(len(rows), np.int64)
        self._began[rows] = np.where(began > 0, drivers.utc(sessions, began), 0)
        self.status = np.full(len(rows), UNFINISHED)
        self.status[rows] = np.select([status == COMMITTED, status == _STOPPED], [OK, UNFINISHED], FAILED)
        self._stopped = rows & (self.status == UNFINISHED)
        self.cause = ["" if one is None else one[1].cause for one in told]

    def _take_starts(self, told: list[tuple[int, Start] | None], drivers: Drivers) -> None:
        """Take starts; an attempt without one began with the first of its parts, else with its end."""
        rows = np.array([one is not None for one in told], np.bool_)
        starts = [start for _, start in filter(None, told)]
        self.session = self._end_session.copy()
        self.session[rows] = [session for session, _ in filter(None, told)]
        self.start = self._told_end.copy()
        of_attempt = self.parts.owner >= 0
        np.minimum.at(self.start, self.parts.owner[of_attempt], self.parts.numbers["start"][of_attempt])
        self.start[rows] = drivers.utc(self.session[rows], np.array([one.at for one in starts], np.int64))
        self.ready = self.start.copy()
        ready = drivers.utc(self.session[rows], np.array([one.ready for one in starts], np.int64))
        is_told = np.array([one.ready > 0 for one in starts], np.bool_)
        self.ready[rows] = np.where(is_told, np.minimum(ready, self.start[rows]), self.start[rows])
        # One that was handed over ahead waited at the engine: that is time in the queue, too.
        self.start = np.clip(self._began, self.start, np.maximum(self.start, self._told_end))
