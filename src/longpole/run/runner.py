"""The runner: which job comes when. Events in, instructions out; no file, clock or process.

A job is one task, or several that share a folder (a cluster, which has the machine for itself). It is opened
(its files come), its tasks are executed, it is closed (what it made is put in place: committed), and then
those that wait for it are ready. When a set becomes known, new tasks come up. A task that fails is tried
again as often as it allows, with more memory if that ran out; after that, all that depends on it is skipped,
and nothing new begins unless the user keeps going.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from longpole.model.workflow import WorkflowError
from longpole.plan.expansion import Expansion
from longpole.run.assistance import Assistance
from longpole.run.capacity import Lines
from longpole.run.gathering import Gathering
from longpole.run.growth import Growth
from longpole.run.inside import Inside
from longpole.run.jobs import Graph, Job
from longpole.run.losses import Losses
from longpole.run.messages import (
    Abandon,
    Assisted,
    Auxiliary,
    Broken,
    Close,
    Closed,
    Discard,
    Event,
    Executed,
    Instruction,
    Made,
    Open,
    Opened,
    Stop,
    Verdict,
)
from longpole.run.policy import Known, Policy
from longpole.run.retrying import with_more_memory
from longpole.run.tally import Tally

_STOPPED = "It was stopped."


class Runner:
    """Leads one run.

    Attributes:
        graph: All jobs so far.
        made: What each task has made, once it is committed.
        committed: Tasks that are committed, in the order of that.
        values: What functions have returned.
        failures: Why each job that gave up has failed; below zero, what is no fault of a job.
        skipped: Jobs that cannot run, since one before them has failed.
        reused: Jobs that did not have to run.
        cached: Tasks that were made before this run, and have not changed.
        ready: Jobs that nothing but room keeps waiting, since this was last emptied.
        running: Jobs that hold what they need.
        refused: Why no more tasks can come up; empty if they can.
        tally: How many tasks of each type run, ran and failed.
    """

    def __init__(self, expansion: Expansion, policy: Policy) -> None:
        """Take what there is to do; nothing happens yet."""
        self.expansion = expansion
        self.graph = Graph(expansion)
        self.made: dict[int, tuple[Made, ...]] = {}
        self.committed: list[int] = []
        self.values: dict[int, bytes] = {}
        self.reused: list[int] = []
        self.cached: list[int] = []
        self.ready: list[int] = []
        self.running: set[int] = set()
        self.refused = ""
        self.finished = False
        self.stopped = False
        self._policy = policy
        self._whole = replace(policy.capacity)
        self._growth = Growth(expansion, policy.levels)
        self.tally = Tally(expansion.workflow.templates)
        self._losses = Losses(self.graph, self._growth, self.tally)
        self.failures, self.skipped = self._losses.failures, self._losses.skipped
        self._gathering = Gathering(expansion, policy, self.graph, self._growth)
        self._lines = Lines()
        # Clusters that wait for what tasks need that are not known yet.
        self._held: dict[int, Job] = {}
        self._known: deque[tuple[Job, Sequence[Known]]] = deque()
        self._out: list[Instruction] = []
        self._inside = Inside(expansion, self.graph, self.tally, self._out)
        self._assistance = Assistance(self._growth, self._out)

    @property
    def well(self) -> bool:
        """Whether everything was done."""
        return self.finished and not (self.failures or self.stopped or self.expansion.unexpanded)

    def start(self) -> list[Instruction]:
        """Begin."""
        self._assistance.begin()
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
                self._take_broken(self.graph.jobs[event.job], event)
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
        try:
            while not self.refused:
                new = self._growth.expand()
                for job in self._gather(new):
                    self._consider(job)
                if not new and not self._growth.learn():
                    return
        except WorkflowError as error:
            self.refused = str(error)
            self._losses.note(self.refused)

    def _gather(self, new: range) -> list[Job]:
        """Give new tasks to jobs, and skip those that wait for what has failed; return the jobs."""
        changed = self._gathering.gather(new)
        for task in new:
            if not self.graph.link(task):
                self._losses.skip(self.graph.jobs[self.graph.job_of[task]])
        return changed

    # ---------------------------------------------------------------------- the life of a job

    def _consider(self, job: Job) -> None:
        """Let a job wait for room if nothing else keeps it, or its new tasks if it is open."""
        if job.open:
            self._execute_ready(job, [task for task in job.tasks if task in job.left])
        elif not job.outside and not job.done and not job.queued:
            known = self._policy.known(job)
            if known is not None:
                job.queued = True
                self._known.append((job, known))
            elif job.label and not self._gathering.may_begin(job):
                self._held[job.number] = job
            else:
                self._line_up(job)

    def _line_up(self, job: Job) -> None:
        job.queued = True
        self.ready.append(job.number)
        self._lines.add(job.number, job.needs)

    def _reuse(self, job: Job, known: Sequence[Known]) -> None:
        """Take a job for done; one of several tasks may get more while these are taken."""
        self.reused.append(job.number)
        place = 0
        while place < len(job.tasks):
            if place >= len(known):
                known = self._policy.known(job) or [Known()] * len(job.tasks)
            task, found = job.tasks[place], known[place]
            self.values[task] = found.value
            self.made[task] = found.made
            self._note_executed(task, (each.name for each in found.made))
            self.cached += [task] if found.cached else []
            place += 1
        if known[0].cached:
            self.tally.cached(self.graph.templates(job))
        else:
            self.tally.ran(job, self.graph.templates(job))
        self._commit(job)

    def _open(self, job: Job) -> None:
        job.attempt = 1 + (job.attempt or self._policy.attempts(job))
        job.open, job.queued, job.trouble = True, False, ""
        job.left = set(job.tasks)
        self.running.add(job.number)
        if job.line is None:
            self.tally.begin(self._template(job.tasks[0]))
        self._out.append(Open(job.number, job.attempt))

    def _take_opened(self, job: Job) -> None:
        if self.stopped:
            self._fail(job, Verdict.STOPPED, _STOPPED, job.tasks[0])
        else:
            self._execute_ready(job, list(job.tasks))

    def _execute_ready(self, job: Job, tasks: Iterable[int]) -> None:
        """Begin tasks of an open cluster that nothing keeps waiting, or close it."""
        if job.line is None or job.trouble:
            return
        self._inside.line_up(job, tasks)
        if not self.stopped:
            self._inside.execute(job)
        if job.executing:
            return
        if not job.has_waiting:
            self._close_if_complete(job)
        elif self.stopped:
            self._fail(job, Verdict.STOPPED, _STOPPED, job.tasks[0])

    def _take_executed(self, job: Job, event: Executed) -> None:
        self._inside.ended(job, event.task)
        if event.verdict is not Verdict.OK or job.trouble:
            self._fail_task(job, event)
            return
        self.tally.execute(job, self._template(event.task))
        self.values[event.task] = event.value
        self._execute_ready(job, self._note_executed(event.task, event.made))

    def _note_executed(self, task: int, files: Iterable[str]) -> list[int]:
        later = list(self.graph.executed(task))
        if self._growth.executed(task, files):
            self._grow()
        return later

    def _close_if_complete(self, job: Job) -> None:
        """Close a cluster whose tasks were all executed, if no more can come."""
        if not job.closing and (self.refused or self._gathering.is_complete(job)):
            job.closing = True
            self._out.append(Close(job.number))

    def _take_closed(self, job: Job, event: Closed) -> None:
        self._let_go(job)
        self.made.update(event.made)
        self.values.update(event.values)
        if job.line is None:
            task = job.tasks[0]
            self._note_executed(task, (each.name for each in event.made.get(task, ())))
        self.tally.ran(job, self.graph.templates(job))
        self._commit(job)

    def _commit(self, job: Job) -> None:
        job.done, job.open = True, False
        self.committed += job.tasks
        ready = {self.graph.job_of[task] for task in self.graph.closed(job)}
        for task in job.tasks:
            self._growth.committed(task)
        for number in sorted(ready):
            self._consider(self.graph.jobs[number])
        if self._held:
            held, self._held = self._held, {}
            for other in held.values():
                self._consider(other)

    # ---------------------------------------------------------------------- failures

    def _take_broken(self, job: Job, event: Broken) -> None:
        """Open a job again, or give it up; what a cluster has executed is not executed again."""
        task = job.tasks[0]
        if not job.closing and self._may_retry(job, event.verdict, task):
            job.tries[task] -= 1
            self.tally.retry(task)
            self._out.append(Discard(job.number))
            self._let_go(job)
            job.open = False
            if job.line is None and event.verdict is Verdict.OUT_OF_MEMORY:
                factor = self.expansion.tasks[task].template.retry.memory_factor
                job.needs = with_more_memory(job.needs, factor, self._whole.memory_bytes)
            self._line_up(job)
        else:
            self._fail(job, event.verdict, event.cause, task)

    def _fail_task(self, job: Job, event: Executed) -> None:
        """Execute a task of a cluster again, or give the cluster up."""
        if job.trouble or not self._may_retry(job, event.verdict, event.task):
            self._fail(job, event.verdict, event.cause, event.task)
            return
        job.tries[event.task] -= 1
        self.tally.retry(event.task)
        if event.verdict is Verdict.OUT_OF_MEMORY:
            self._inside.grow(job, event.task, self._whole.memory_bytes)
        self._inside.again(job, event.task)
        self._execute_ready(job, ())

    def _fail(self, job: Job, verdict: Verdict, cause: str, task: int) -> None:
        """Give a job up once nothing of it is executed any more."""
        first = not job.trouble
        if first:
            job.trouble, job.culprit = cause or verdict.value, task
        if job.executing:
            self._out += [Stop(job.number)] if first and not self.stopped else []
            return
        self._out.append(Discard(job.number) if self.stopped else Abandon(job.number))
        self._let_go(job)
        note = self.tally.stopped if self.stopped else self.tally.failed
        note(job, self._template(job.culprit))
        self._losses.give_up(job)

    def _may_retry(self, job: Job, verdict: Verdict, task: int) -> bool:
        return verdict is not Verdict.STOPPED and job.tries[task] > 0 and not self._halted

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
        """Take what is known to be done, begin what there is room for; when nothing is left, clean up."""
        while self._known:
            self._reuse(*self._known.popleft())
        self._assistance.end_levels()
        if not self._halted:
            for number in self._lines.admit(self._policy.capacity):
                self._open_if_able(self.graph.jobs[number])
        if not self.running and (self._halted or not len(self._lines)):
            self._assistance.end(rest=not self._halted)

    def _open_if_able(self, job: Job) -> None:
        """Open a job, unless tasks have joined it in line that wait for others."""
        if job.outside or job.done:
            self._policy.capacity.give_back(job.needs)
            job.queued = False
        else:
            self._open(job)

    def _take_assisted(self, event: Assisted) -> None:
        self._assistance.ended(event)
        if event.cause:
            self._losses.note(event.cause)
        if event.kind is Auxiliary.CREATE_DIR and not event.cause:
            self._grow()
        elif event.kind is Auxiliary.CLEANUP:
            self.finished = True

    def _template(self, task: int) -> str:
        return self.expansion.tasks[task].template.name

    def _told(self) -> list[Instruction]:
        out = self._out[:]
        self._out.clear()
        return out
