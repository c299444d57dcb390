"""New tasks become jobs: who joins which, when a cluster may begin, when nobody can join it any more.

A cluster has the machine for itself, so it begins only when nothing outside of it is needed any more, not
even for tasks of it that are not known yet; else it would wait for what it keeps from running. Where a label
has places, nobody can say which tasks will come: its clusters wait for none, and tasks that come too late, or
that wait for others outside while the cluster is open, are a cluster of their own.

Tasks that are committed since before this driver come back in the jobs in which they were; no other task ever
joins these, nor a job that is called the same: what they have made is written down as all that there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from longpole.model.workflow import Resources
from longpole.plan.expansion import Expansion
from longpole.run.capacity import Capacity, Lines
from longpole.run.growth import Growth
from longpole.run.jobs import Graph, Job
from longpole.run.losses import Losses
from longpole.run.policy import Policy


class Gathering:
    """Makes the jobs of one run."""

    def __init__(
        self, expansion: Expansion, policy: Policy, graph: Graph, growth: Growth, losses: Losses
    ) -> None:
        """Take what tells who belongs together, and who can never run."""
        self._expansion, self._policy = expansion, policy
        self._graph, self._growth, self._losses = graph, growth, losses
        self._whole: Capacity = replace(policy.capacity)
        self._jobs: dict[str, list[Job]] = {}
        self._past: dict[str, Job] = {}

    def gather(self, new: range) -> list[Job]:
        """Give new tasks to jobs: clusters, or one for each; return the jobs.

        A job whose task waits for what has failed is skipped.

        Raises:
            WorkflowError: Clusters would wait for each other; nothing was changed then.
        """
        clusters = list(self._policy.cluster(new))
        self._graph.make_room(len(new))
        changed: dict[int, Job] = {}
        for label, tasks in clusters:
            for job, some in self._apart(label, tasks):
                for task in some:
                    self._join(task, job)
                changed[job.number] = job
        for task in new:
            if self._graph.job_of[task] < 0:
                template = self._expansion.tasks[task].template
                job = self._graph.add_job("", self._policy.levels[template.name])
                job.needs = self._policy.needs(template)
                self._join(task, job)
                changed[job.number] = job
        for task in new:
            possible, job = self._graph.link(task), self._graph.jobs[self._graph.job_of[task]]
            if not possible and not job.past:
                self._losses.skip(job)
        return list(changed.values())

    def may_begin(self, job: Job) -> bool:
        """Return whether all is there that tasks still to come need, but for what the cluster makes."""
        inside = self._still_joining(job)
        seen = set(inside)
        while inside:
            for earlier in self._expansion.before[inside.pop()]:
                if earlier in seen:
                    continue
                seen.add(earlier)
                if self._policy.label(earlier) == job.label:
                    inside.append(earlier)
                elif not self._growth.is_done(earlier):
                    return False
        return True

    def is_complete(self, job: Job) -> bool:
        """Return whether no more tasks can join a cluster."""
        return bool(self._growth.refused) or not self._still_joining(job)

    def _join(self, task: int, job: Job) -> None:
        self._graph.join(task, job)
        job.tries[task] = self._expansion.tasks[task].template.retry.times

    def _apart(self, label: str, tasks: Sequence[int]) -> Iterator[tuple[Job, list[int]]]:
        """Yield the clusters that new tasks of a label join; who was committed alone joins none."""
        parts: dict[str | None, list[int]] = {}
        for task in tasks:
            parts.setdefault(self._policy.earlier(task), []).append(task)
        for earlier, some in parts.items():
            if earlier is None:
                yield self._cluster(label, some), some
            elif earlier:
                yield self._again(earlier, some), some

    def _again(self, label: str, tasks: Sequence[int]) -> Job:
        """Return the job of tasks that are committed already, as it was called."""
        job = self._past.get(label)
        if job is None or job.done:
            job = self._past[label] = self._add(label, tasks)
            job.past = True
        return job

    def _cluster(self, label: str, tasks: Sequence[int]) -> Job:
        """Return the cluster that new tasks of a label join: the last of it, or one more."""
        known = self._jobs.setdefault(label, [])
        if known and self._takes_in(known[-1], tasks):
            return known[-1]
        called = {job.label for job in known}
        names = (f"{label} ({at})" if at > 1 else label for at in count(1))
        free = (name for name in names if name not in called and not self._policy.is_taken(name))
        known.append(self._add(next(free), tasks))
        return known[-1]

    def _add(self, label: str, tasks: Sequence[int]) -> Job:
        """Return a new cluster, which has the machine for itself."""
        level = self._policy.levels[self._expansion.tasks[tasks[0]].template.name]
        job = self._graph.add_job(label, level)
        job.needs = Resources(cores=self._whole.cores, gpus=self._whole.gpus)
        job.room, job.line = replace(self._whole), Lines()
        return job

    def _still_joining(self, job: Job) -> list[str]:
        return [name for name in self._expansion.unexpanded if self._policy.label(name) == job.label]

    def _takes_in(self, job: Job, tasks: Sequence[int]) -> bool:
        if job.done or job.closing:
            return False
        if not job.open:
            return True
        own = {*job.tasks, *tasks}
        needed = (before for task in tasks for before in self._expansion.dependencies(task))
        return all(before in own or self._graph.is_committed(before) for before in needed)
