"""Going on with a run: what its log says is done, and what its last driver left half done."""

from __future__ import annotations

import os
from collections.abc import Sequence

from longpole.model.patterns import matcher
from longpole.model.workflow import Task
from longpole.plan.expansion import Expansion
from longpole.run.jobs import Job
from longpole.run.journal import auxiliary_key
from longpole.run.messages import Made
from longpole.run.policy import Known
from longpole.store.driver_log import DriverLog, JobLog


class Past:
    """What was done in a run before this driver."""

    def __init__(self, log: DriverLog, expansion: Expansion, kept: str) -> None:
        """Take the log; files are kept below ``kept``."""
        self._log, self._expansion, self._kept = log, expansion, kept
        self.tasks = {
            auxiliary_key(planned.name) if planned.auxiliary else planned.name: number
            for number, planned in log.planned.items()
        }
        self.tasks.update({f"[{label}]": number for number, label in log.groups.items()})
        self.files = log.numbers()
        self.sessions = len(log.sessions)

    def attempts(self, job: Job) -> int:
        """Return how often a job was tried."""
        found = self._job(job)
        return found.attempts if found is not None else 0

    def known(self, job: Job) -> Sequence[Known] | None:
        """Return what the tasks of a job have made, if it was committed and its files are still there."""
        found = self._job(job)
        if found is None or not found.committed:
            return None
        made = [
            Made(self._log.files.get(number, ""), size, checksum) for number, size, checksum in found.outputs
        ]
        if not all(self._is_there(each) for each in made):
            return None
        if not job.label:
            return [Known(tuple(made), bytes.fromhex(found.value))]
        return [Known(_made_by(self._expansion.tasks[task], made)) for task in job.tasks]

    def unfinished(self) -> list[tuple[int, int]]:
        """Return the jobs and attempts that have begun and never ended."""
        return [(number, begun.attempt) for number, job in self._log.jobs.items() for begun in job.open]

    def _job(self, job: Job) -> JobLog | None:
        name = f"[{job.label}]" if job.label else self._expansion.tasks[job.tasks[0]].name
        return self._log.jobs.get(self.tasks.get(name, 0))

    def _is_there(self, made: Made) -> bool:
        """Return whether a file is as it was committed; what stayed within a cluster need not be there."""
        if made.size_bytes < 0:
            return True
        path = os.path.join(self._kept, made.name)
        if made.name.endswith("/"):
            return os.path.isdir(path)
        try:
            return os.stat(path).st_size == made.size_bytes
        except OSError:
            return False


def _made_by(task: Task, made: Sequence[Made]) -> tuple[Made, ...]:
    """Return what one task of a cluster has made."""
    names = {name for some in task.outputs for name in some}
    patterns = [matcher(pattern) for some in task.many for pattern in some]
    return tuple(
        each for each in made if each.name in names or any(fits.fullmatch(each.name) for fits in patterns)
    )
