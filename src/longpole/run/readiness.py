"""Jobs that wait for no other any more: they need not run, wait for room, or are held back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from longpole.run.gathering import Gathering
from longpole.run.jobs import Job
from longpole.run.policy import Known, Policy
from longpole.run.room import Room


class Readiness:
    """Tells which jobs of one run may begin."""

    def __init__(self, policy: Policy, gathering: Gathering, room: Room) -> None:
        """Take what tells which need not run, which may not yet, and where the others wait."""
        self._policy, self._gathering, self._room = policy, gathering, room
        self._known: deque[tuple[Job, Sequence[Known]]] = deque()
        # Clusters that wait for what tasks need that are not known yet.
        self._held: dict[int, Job] = {}

    def consider(self, job: Job) -> None:
        """Look at a job that is not open: whether it needs to run, and may wait for room."""
        if (job.outside and not job.past) or job.done or job.queued:
            return
        known = self._policy.known(job)
        if known is not None:
            job.queued = True
            self._known.append((job, known))
        elif job.label and not self._gathering.may_begin(job):
            self._held[job.number] = job
        else:
            self._room.wait(job)

    def take_known(self) -> Iterator[tuple[Job, Sequence[Known]]]:
        """Yield jobs that need not run, and what their tasks have made; also those that come up meanwhile."""
        while self._known:
            yield self._known.popleft()

    def take_held(self) -> Iterator[Job]:
        """Yield clusters that were held back: more is known or committed since, and they may begin now."""
        if self._held:
            held, self._held = self._held, {}
            yield from held.values()
