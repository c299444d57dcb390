"""Events: what has happened in an engine that the runner has not heard of yet."""

from __future__ import annotations

from longpole.run.engines.opened import OpenJob
from longpole.run.messages import Broken, Event, Verdict


class Events:
    """What the runner will hear next, in the order in which it happened."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._untold: list[Event] = []

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._untold)

    def add(self, event: Event) -> None:
        """Note that something has happened."""
        self._untold.append(event)

    def broken(self, job: OpenJob, cause: str, verdict: Verdict = Verdict.FAILED) -> None:
        """Note that a job could not be opened or closed, or that its one task has failed."""
        self._untold.append(Broken(job.number, verdict, cause))

    def take(self) -> list[Event]:
        """Return all, each once."""
        events, self._untold = self._untold, []
        return events
