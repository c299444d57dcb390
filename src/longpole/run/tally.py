"""How many tasks of each type run, ran, failed: counted as it happens, so that asking costs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from longpole.run.jobs import Job


@dataclass(slots=True)
class Count:
    """Tasks of one type; see ``TypeStanding``."""

    ran: int = 0
    cached: int = 0
    running: int = 0
    failed: int = 0
    stopped: int = 0
    skipped: int = 0
    tried_again: int = 0


class Tally:
    """Counts tasks by the names of their templates."""

    def __init__(self, names: Iterable[str]) -> None:
        """Start with nothing."""
        self.counts = {name: Count() for name in names}
        self._executed: dict[int, list[str]] = {}
        self._again: set[int] = set()

    def begin(self, template: str) -> None:
        """Note that a task runs."""
        self.counts[template].running += 1

    def end(self, template: str) -> None:
        """Note that a task runs no more, however it went."""
        self.counts[template].running -= 1

    def execute(self, job: Job, template: str) -> None:
        """Note that a task of an open job of several has done its part."""
        self.counts[template].ran += 1
        self._executed.setdefault(job.number, []).append(template)

    def retry(self, task: int) -> None:
        """Note that a task is tried again."""
        self._again.add(task)

    def ran(self, job: Job, templates: Iterable[str]) -> None:
        """Note that all tasks of a job ran, and what they made is in place."""
        self._forget(job)
        for task, name in zip(job.tasks, templates, strict=True):
            count = self.counts[name]
            count.ran += 1
            count.tried_again += job.attempt > 1 or task in self._again

    def cached(self, templates: Iterable[str]) -> None:
        """Note that tasks were made before this run."""
        for name in templates:
            self.counts[name].cached += 1

    def failed(self, job: Job, template: str) -> None:
        """Note that a job is given up, since a task of it has failed."""
        self._forget(job)
        self.counts[template].failed += 1

    def stopped(self, job: Job, template: str) -> None:
        """Note that a job is given up, since the user has stopped it."""
        self._forget(job)
        self.counts[template].stopped += 1

    def skip(self, templates: Iterable[str]) -> None:
        """Note that tasks cannot run."""
        for name in templates:
            self.counts[name].skipped += 1

    def _forget(self, job: Job) -> None:
        """Take back what tasks of a job of several did, until it counts as a whole."""
        for name in self._executed.pop(job.number, ()):
            self.counts[name].ran -= 1
