"""Tasks that did not run, as they are written down: made before, or kept from running by a failure."""

from __future__ import annotations

from collections.abc import Iterable

from longpole.run.identities import Identities
from longpole.run.jobs import Job
from longpole.run.journal import Journal
from longpole.run.runner import Runner


class Outcomes:
    """Writes down which tasks of one run did not run."""

    def __init__(self, runner: Runner, journal: Journal, identities: Identities) -> None:
        """Take who knows of them, and where they are written."""
        self._runner, self._journal, self._identities = runner, journal, identities
        self._cached = 0
        self._skipped: set[int] = set()

    def note_cached(self) -> None:
        """Write down tasks that have turned out to be made already."""
        new = self._runner.cached[self._cached :]
        self._cached += len(new)
        self._journal.outcomes("cached", [self._identities.tasks[task] for task in new])

    def note_skipped(self) -> None:
        """Write down tasks that have turned out not to run, since a job has failed: each once."""
        if len(self._skipped) == len(self._runner.skipped):
            return
        new = self._runner.skipped - self._skipped
        self._skipped |= new
        self._note("skipped", (self._runner.graph.jobs[number] for number in sorted(new)))

    def note_all(self) -> None:
        """Write down, in the end, all that did not run and what became of it."""
        self.note_cached()
        self.note_skipped()
        self._note("never", (job for job in self._runner.graph.jobs if not job.attempt and not job.done))

    def _note(self, outcome: str, jobs: Iterable[Job]) -> None:
        ids = self._identities.tasks
        self._journal.outcomes(outcome, [ids[task] for job in jobs for task in job.tasks])
