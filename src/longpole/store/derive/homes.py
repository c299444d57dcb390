"""Where processes belong in a run that is more than one command: to a phase, a task and an attempt of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from longpole.store.derive.executions import Execution
from longpole.store.derive.known import LATE_NS, Known
from longpole.store.derive.origins import RUN_ID


@dataclass(slots=True, kw_only=True)
class Home:
    """The phase that holds processes, and the task, 0 if there is none, with the attempt.

    What was told of an execution tells this, once it is known how many rows come before those told.
    """

    phase: int = RUN_ID
    task: int = 0
    attempt: int = 1
    execution: Execution | None = None

    def within(self, start_ns: int | None, end_ns: int | None) -> tuple[int | None, int | None]:
        """Return from when to when a process lived, in the span of the execution, which is known better.

        An end that is later than can be noted late is one of a process that was left behind.
        """
        if self.execution is None or self.execution.span is None:
            return start_ns, end_ns
        begin, end = self.execution.span
        if end_ns is not None and end_ns <= end + LATE_NS:
            end_ns = max(begin, min(end_ns, end))
        return None if start_ns is None else min(max(start_ns, begin), max(begin, end_ns or end)), end_ns

    def settle(self, phases: int, tasks: int) -> None:
        """Take the place of the execution, if there is one, behind so many phases and tasks of others."""
        if self.execution is not None:
            self.phase = RUN_ID + phases + self.execution.phase
            self.task = tasks + self.execution.task if self.execution.task else 0
            self.attempt = self.execution.attempt


def homes_below(roots: Mapping[Known, Home], every: Iterable[Known]) -> dict[Known, Home]:
    """Return where processes belong that have a home, and all that these started."""
    homes: dict[Known, Home | None] = dict(roots)
    for known in every if roots else ():
        path: list[Known] = []
        here: Known | None = known
        while here is not None and here not in homes:
            path.append(here)
            here = here.parent
        homes.update(dict.fromkeys(path, homes[here] if here is not None else None))
    return {known: home for known, home in homes.items() if home is not None}
