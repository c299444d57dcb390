"""Closing jobs: what one has made is put away, what another attempt can go on from is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping

from longpole.run.engines.local.collecting import MissingOutputError, made_of
from longpole.run.engines.local.events import Events
from longpole.run.engines.local.staging import Staging, checkpoints_in
from longpole.run.engines.local.starting import Starting
from longpole.run.engines.opened import OpenJob
from longpole.run.messages import Closed, Made


class Closing:
    """Closes the jobs of one engine."""

    def __init__(self, staging: Staging, starting: Starting, events: Events) -> None:
        """Take what moves files, what holds images, and who hears of it."""
        self._staging, self._starting, self._events = staging, starting, events

    def finish(self, job: OpenJob) -> None:
        """Put away what a job has made whose tasks were executed; ``Closed`` or ``Broken`` follows."""
        try:
            for task, order in job.orders.items():
                if task not in job.made:
                    job.made[task] = made_of(job, order) if order.outputs else []
        except MissingOutputError as error:
            self._events.broken(job, str(error))
            return
        names = [name for made in job.made.values() for name in made if job.wanted(name)]
        names += [name for name in checkpoints_in(job) if name not in names]
        if names:
            self._staging.send(job, names, lambda placed: self._put_away(job, placed))
        else:
            self._put_away(job, {})

    def finish_done(self, job: OpenJob, task: int, made: tuple[Made, ...]) -> None:
        """Close a job of one task whose files a worker has put away already."""
        self._events.add(Closed(job.number, {task: made}, {}))
        if job.own_folder and os.path.lexists(job.folder):
            self._staging.remove(job.folder)

    def discard(self, job: OpenJob) -> None:
        """Let go of a job that failed, but for what its next attempt can go on from."""
        self.abandon(job)
        if job.own_folder:
            self._staging.remove(job.folder)

    def abandon(self, job: OpenJob) -> None:
        """The same, but leave its folder for the user to look at."""
        if job.own_folder:
            self._staging.save(job)
            self._starting.release(job.folder)

    def _put_away(self, job: OpenJob, placed: Mapping[str, Made]) -> None:
        made = {
            task: tuple(placed.get(name) or Made(name, -1, "") for name in names)
            for task, names in job.made.items()
        }
        self._events.add(Closed(job.number, made, job.values))
        if job.own_folder:
            self._starting.release(job.folder)
            self._staging.remove(job.folder)
