"""Room on the machine: which jobs wait for it, and which have it."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.run.capacity import Capacity, Lines
from longpole.run.jobs import Graph, Job
from longpole.run.tally import Tally


class Room:
    """The room that the jobs of one run share.

    Attributes:
        ready: Jobs that nothing but room keeps waiting, since this was last emptied.
        running: Jobs that hold what they need.
        most_memory_bytes: How much memory there is in all; None where nobody counts it.
    """

    def __init__(self, graph: Graph, capacity: Capacity, tally: Tally) -> None:
        """Begin with all of it free."""
        self.ready: list[int] = []
        self.running: set[int] = set()
        self._graph, self._capacity, self._tally = graph, capacity, tally
        self.most_memory_bytes = capacity.memory_bytes
        self._lines = Lines()

    @property
    def has_waiting(self) -> bool:
        """Whether a job waits."""
        return len(self._lines) > 0

    def let_ahead(self, count: int) -> None:
        """Let so many tasks of one core have room beyond the cores there are: the engine has them wait."""
        self._capacity.ahead = count

    def wait(self, job: Job) -> None:
        """Let a job wait for what it needs."""
        job.queued = True
        self.ready.append(job.number)
        self._lines.add(job.number, job.needs)

    def admit(self) -> Iterator[Job]:
        """Yield the jobs that have room now, unless tasks have joined them in line that wait for others."""
        for number in self._lines.admit(self._capacity):
            job = self._graph.jobs[number]
            job.queued = False
            if job.outside or job.done:
                self._capacity.give_back(job.needs)
                continue
            self.running.add(number)
            if job.line is None:
                self._tally.begin(self._graph.template(job.tasks[0]).name)
            yield job

    def leave(self, job: Job) -> None:
        """Take back what a job holds, if it does."""
        if job.number in self.running:
            self.running.discard(job.number)
            if job.line is None:
                self._tally.end(self._graph.template(job.tasks[0]).name)
            self._capacity.give_back(job.needs)
