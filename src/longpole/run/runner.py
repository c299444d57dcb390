"""The runner: which job comes when. Events in, instructions out; no file, clock or process.

A job is one task, or several that share a folder (a cluster, which has the machine for itself). It is opened
(its files come), its tasks are executed, it is closed (what it made is put in place: committed), and then
those that wait for it are ready. When a set becomes known, new tasks come up. A task that fails is tried
again as often as it allows, with more memory if that ran out; after that, all that depends on it is skipped,
and nothing new begins unless the user keeps going.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from longpole.model.workflow import Resources
from longpole.plan.expansion import Expansion
from longpole.run.capacity import Lines
from longpole.run.growth import Growth
from longpole.run.jobs import Graph, Job
from longpole.run.messages import (
    Abandon,
    Assist,
    Assisted,
    Auxiliary,
    Broken,
    Close,
    Closed,
    Discard,
    Event,
    Execute,
    Executed,
    Instruction,
    Made,
    Open,
    Opened,
    Stop,
    Verdict,
)
from longpole.run.policy import Known, Policy
from longpole.run.tally import Tally


class Runner:
    """Leads one run.

    Attributes:
        graph: All jobs so far.
        made: What each task has made, once it is committed.
        values: What functions have returned.
        failures: Why each job that gave up has failed.
        skipped: Jobs that cannot run, since one before them has failed.
        reused: Jobs that did not have to run.
        cached: Tasks that were made before this run, and have not changed.
        ready: Jobs that nothing but room keeps waiting, since this was last emptied.
        tally: How many tasks of each type run, ran and failed.
    """

    def __init__(self, expansion: Expansion, policy: Policy) -> None:
        """Take what there is to do; nothing happens yet."""
        self.expansion = expansion
        self.graph = Graph(expansion)
        self.made: dict[int, tuple[Made, ...]] = {}
        self.values: dict[int, bytes] = {}
        self.failures: dict[int, str] = {}
        self.skipped: set[int] = set()
        self.reused: list[int] = []
        self.cached: list[int] = []
        self.ready: list[int] = []
        self.running: set[int] = set()
        self.finished = False
        self.stopped = False
        self.tally = Tally(expansion.workflow.templates)
        self._policy = policy
        self._whole = replace(policy.capacity)
        self._growth = Growth(expansion, policy.levels)
        self._lines = Lines()
        self._clusters: dict[str, Job] = {}
        self._assisting: set[tuple[Auxiliary, int]] = set()
        self._cleaning = False
        self._out: list[Instruction] = []

    @property
    def well(self) -> bool:
        """Whether everything was done."""
        return self.finished and not (self.failures or self.stopped or self.expansion.unexpanded)

    def start(self) -> list[Instruction]:
        """Begin."""
        self._assist(Auxiliary.CREATE_DIR, 0)
        return self._told()

    def take(self, event: Event) -> list[Instruction]:
        """Hear of what has happened; return what is to be done now."""
        match event:
            case Executed():
                self._take_executed(self.graph.jobs[event.job], event)
            case Opened():
                self._take_opened(self.graph.jobs[event.job])
            case Closed():
                self._take_closed(self.graph.jobs[event.job], event)
            case Broken():
                self._fail(
                    self.graph.jobs[event.job],
                    event.verdict,
                    event.cause,
                    self.graph.jobs[event.job].tasks[0],
                )
            case Assisted():
                self._take_assisted(event)
        self._go_on()
        return self._told()

    def let_ahead(self, count: int) -> None:
        """Let so many tasks of one core be begun beyond the cores there are: the engine has them wait."""
        self._policy.capacity.ahead = count

    def stop(self) -> list[Instruction]:
        """Begin nothing new, and stop what runs."""
        self.stopped = True
        self._out += [Stop(job) for job in sorted(self.running)]
        self._go_on()
        return self._told()

    # ---------------------------------------------------------------------- new tasks

    def _grow(self) -> None:
        """Take in all tasks that can be known by now, until no more come up."""
        while True:
            new = self._growth.expand()
            self._add(new)
            if not new and not self._growth.learn():
                return

    def _add(self, new: range) -> None:
        self.graph.make_room(len(new))
        changed: dict[int, Job] = {}
        for label, tasks in self._policy.cluster(new):
            job = self._cluster(label, tasks)
            for task in tasks:
                self._join(task, job)
            changed[job.number] = job
        for task in new:
            if self.graph.job_of[task] < 0:
                template = self.expansion.tasks[task].template
                job = self.graph.add_job("", self._policy.levels[template.name])
                job.needs = template.resources
                self._join(task, job)
                changed[job.number] = job
        for task in new:
            self.graph.link(task)
        for job in changed.values():
            self._consider(job)

    def _cluster(self, label: str, tasks: Sequence[int]) -> Job:
        job = self._clusters.get(label)
        if job is None:
            level = self._policy.levels[self.expansion.tasks[tasks[0]].template.name]
            job = self._clusters[label] = self.graph.add_job(label, level)
            job.needs = Resources(cores=self._whole.cores, gpus=self._whole.gpus)
            job.room, job.line = replace(self._whole), Lines()
        return job

    def _join(self, task: int, job: Job) -> None:
        self.graph.join(task, job)
        job.tries[task] = self.expansion.tasks[task].template.retry.times

    # ---------------------------------------------------------------------- the life of a job

    def _consider(self, job: Job) -> None:
        """Let a job wait for room if nothing else keeps it, or its new tasks if it is open."""
        if job.open:
            self._execute_ready(job, [task for task in job.tasks if task in job.left])
        elif not job.outside and not job.done and not job.attempt:
            known = self._policy.known(job)
            if known is not None:
                self._reuse(job, known)
            else:
                job.attempt = -1  # it waits in line
                self.ready.append(job.number)
                self._lines.add(job.number, job.needs)

    def _reuse(self, job: Job, known: Sequence[Known]) -> None:
        self.reused.append(job.number)
        for task, made in zip(job.tasks, known, strict=True):
            self.values[task] = made.value
            self.made[task] = made.made
            self._note_executed(task, (each.name for each in made.made))
            if made.cached:
                self.cached.append(task)
        if any(made.cached for made in known):
            self.tally.cached(self._templates(job))
        else:
            self.tally.ran(job, self._templates(job))
        self._commit(job)

    def _template(self, task: int) -> str:
        return self.expansion.tasks[task].template.name

    def _templates(self, job: Job) -> list[str]:
        return [self.expansion.tasks[task].template.name for task in job.tasks]

    def _open(self, job: Job) -> None:
        job.attempt = self._policy.attempts(job) + 1 if job.attempt <= 0 else job.attempt + 1
        job.open, job.trouble = True, ""
        job.left = set(job.tasks)
        self.running.add(job.number)
        if job.line is None:
            self.tally.begin(self._template(job.tasks[0]))
        self._out.append(Open(job.number, job.attempt))

    def _take_opened(self, job: Job) -> None:
        if self.stopped:
            self._fail(job, Verdict.STOPPED, "It was stopped.", job.tasks[0])
        else:
            self._execute_ready(job, list(job.tasks))

    def _execute_ready(self, job: Job, tasks: Iterable[int]) -> None:
        """Let tasks of an open cluster wait for room in it, and begin as many as there is room for."""
        if job.line is None or job.room is None or job.trouble:
            return
        for task in tasks:
            if task in job.left and task not in job.executing and self.graph.can_execute(task):
                job.left.discard(task)
                job.line.add(task, self.expansion.tasks[task].template.resources)
        for task in list(job.line.admit(job.room)):
            self._execute(job, task)
        self._close_if_over(job)

    def _execute(self, job: Job, task: int) -> None:
        job.left.discard(task)
        job.executing.add(task)
        if job.line is not None:
            self.tally.begin(self._template(task))
        self._out.append(Execute(job.number, task))

    def _take_executed(self, job: Job, event: Executed) -> None:
        job.executing.discard(event.task)
        if job.room is not None:
            job.room.give_back(self.expansion.tasks[event.task].template.resources)
            self.tally.end(self._template(event.task))
        if event.verdict is not Verdict.OK or job.trouble:
            self._fail(job, event.verdict, event.cause, event.task)
        else:
            self.tally.execute(job, self._template(event.task))
            later = list(self._note_executed(event.task, event.made))
            self._execute_ready(job, later)

    def _note_executed(self, task: int, files: Iterable[str]) -> Iterable[int]:
        later = list(self.graph.executed(task))
        if self._growth.executed(task, files):
            self._grow()
        return later

    def _close_if_over(self, job: Job) -> None:
        """Close a cluster when all its tasks were executed, and no more can come."""
        if job.executing or job.left or (job.line is not None and len(job.line)) or not job.open:
            return
        if any(self._policy.label(name) == job.label for name in self.expansion.unexpanded):
            return
        self._out.append(Close(job.number))

    def _take_closed(self, job: Job, event: Closed) -> None:
        self._let_go(job)
        self.made.update(event.made)
        self.values.update(event.values)
        if job.line is None:
            task = job.tasks[0]
            self._note_executed(task, (each.name for each in event.made.get(task, ())))
        self.tally.ran(job, self._templates(job))
        self._commit(job)

    def _commit(self, job: Job) -> None:
        job.done, job.open = True, False
        ready = {self.graph.job_of[task] for task in self.graph.closed(job)}
        for task in job.tasks:
            self._growth.ended(task)
        for number in sorted(ready):
            self._consider(self.graph.jobs[number])
        self._end_levels()

    # ---------------------------------------------------------------------- failures

    def _fail(self, job: Job, verdict: Verdict, cause: str, task: int) -> None:
        """Try a task again, or give its job up once nothing of it is executed any more."""
        if self.stopped:
            verdict = Verdict.STOPPED
        if not job.trouble and self._may_retry(job, verdict, task):
            self._retry(job, verdict, task)
            return
        if not job.trouble:
            job.trouble, job.culprit = cause or verdict.value, task
        if job.executing:
            self._out += [Stop(job.number)] if len(job.tasks) > 1 else []
            return
        self._out.append(Discard(job.number) if self.stopped else Abandon(job.number))
        self._let_go(job)
        self._give_up(job)

    def _may_retry(self, job: Job, verdict: Verdict, task: int) -> bool:
        return verdict is not Verdict.STOPPED and job.tries[task] > 0 and not self._halted

    def _retry(self, job: Job, verdict: Verdict, task: int) -> None:
        retry = self.expansion.tasks[task].template.retry
        job.tries[task] -= 1
        self.tally.retry(task)
        if verdict is Verdict.OUT_OF_MEMORY and retry.memory_factor > 1:
            job.memory_factor *= retry.memory_factor
        if job.line is not None:
            job.left.add(task)
            self._execute_ready(job, [task])
            return
        self._out.append(Discard(job.number))
        self._let_go(job)
        memory = job.needs.memory_bytes
        if memory and verdict is Verdict.OUT_OF_MEMORY:
            most = self._whole.memory_bytes or memory
            job.needs = replace(
                job.needs, memory_bytes=min(int(memory * retry.memory_factor), max(most, memory))
            )
        self.ready.append(job.number)
        self._lines.add(job.number, job.needs)

    def _give_up(self, job: Job) -> None:
        job.done, job.open = True, False
        self.failures[job.number] = job.trouble
        note = self.tally.stopped if self.stopped else self.tally.failed
        note(job, self._template(job.culprit))
        for number in sorted(self.graph.after(job)):
            other = self.graph.jobs[number]
            if not other.done:
                other.done = True
                self.skipped.add(number)
                self.tally.skip(self._templates(other))
                for task in other.tasks:
                    self._growth.ended(task)
        for task in job.tasks:
            self._growth.ended(task)
        self._end_levels()

    def _let_go(self, job: Job) -> None:
        if job.number in self.running:
            self.running.discard(job.number)
            if job.line is None:
                self.tally.end(self._template(job.tasks[0]))
            self._policy.capacity.give_back(job.needs)

    # ---------------------------------------------------------------------- around the jobs

    @property
    def _halted(self) -> bool:
        return self.stopped or (bool(self.failures) and not self._policy.keep_going)

    def _go_on(self) -> None:
        """Begin what there is room for; when nothing is left, clean up."""
        if not self._halted:
            for number in self._lines.admit(self._policy.capacity):
                self._open(self.graph.jobs[number])
        if self.running or self._assisting or self._cleaning:
            return
        if self._halted or not len(self._lines):
            self._cleaning = True
            self._assist(Auxiliary.CLEANUP, 0)

    def _end_levels(self) -> None:
        for level in self._growth.levels_over():
            self._assist(Auxiliary.STAGE_OUT, level)
            self._assist(Auxiliary.REGISTER, level)

    def _assist(self, kind: Auxiliary, level: int) -> None:
        self._assisting.add((kind, level))
        self._out.append(Assist(kind, level))

    def _take_assisted(self, event: Assisted) -> None:
        self._assisting.discard((event.kind, event.level))
        if event.cause:
            self.failures[-1 - len(self.failures)] = event.cause
        if event.kind is Auxiliary.CREATE_DIR and not event.cause:
            self._grow()
            self._end_levels()
        elif event.kind is Auxiliary.CLEANUP:
            self.finished = True

    def _told(self) -> list[Instruction]:
        out, self._out = self._out, []
        return out
