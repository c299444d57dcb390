"""Opening jobs: a folder, what its tasks need in it, and then the first task, or word to the runner."""

from __future__ import annotations

import os
from collections.abc import Sequence

from longpole.run.engines.local.ending import STOPPED
from longpole.run.engines.local.events import Events
from longpole.run.engines.local.executions import Executions
from longpole.run.engines.local.staging import Staging
from longpole.run.engines.opened import OpenJob
from longpole.run.messages import Opened, Verdict
from longpole.run.orders import TaskOrder


class Opening:
    """Opens the jobs of one engine."""

    def __init__(self, scratch: str, staging: Staging, executions: Executions, events: Events) -> None:
        """Take where tasks run that have no folder, what moves files, and what comes next."""
        self._scratch, self._staging = scratch, staging
        self._executions, self._events = executions, events

    def open(self, job: OpenJob, orders: Sequence[TaskOrder]) -> None:
        """Make a job's folder, if it has one, and go on in it."""
        if not job.own_folder:
            job.folder = self._scratch
            self._opened(job)
            return
        try:
            os.mkdir(job.folder, 0o700)
        except OSError as error:
            self._events.broken(job, f"Cannot make its folder {job.folder}: {error.strerror}.")
            return
        self.go_on(job, orders)

    def go_on(self, job: OpenJob, orders: Sequence[TaskOrder]) -> None:
        """Bring what tasks need into the folder of a job; then they can be executed."""
        self._staging.bring(job, orders, lambda: self._opened(job))

    def _opened(self, job: OpenJob) -> None:
        """Execute the one task of a job, or tell that its tasks can be."""
        if job.shared:
            self._events.add(Opened(job.number))
        elif job.stopped:
            self._events.broken(job, STOPPED, Verdict.STOPPED)
        else:
            self._executions.start(job, next(iter(job.orders.values())))
