"""The runner: which job comes when. Events in, instructions out; no file, clock or process.

A job is one task, or several that share a folder (a cluster, which has the machine for itself). It is opened
(its files come), its tasks are executed, it is closed (what it made is put in place: committed), and then
those that wait for it are ready. When a set becomes known, new tasks come up. A task that fails is tried
again as often as it allows, with more memory if that ran out; after that, all that depends on it is skipped,
and nothing new begins unless the user keeps going.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longpole.model.workflow import WorkflowError
from longpole.plan.expansion import Expansion
from longpole.run.assistance import Assistance
from longpole.run.failing import Failing
from longpole.run.gathering import Gathering
from longpole.run.growth import Growth
from longpole.run.inside import Inside
from longpole.run.jobs import Graph, Job
from longpole.run.losses import Losses
from longpole.run.messages import (
    Assisted,
    Auxiliary,
    Broken,
    Closed,
    Discard,
    Event,
    Executed,
    Instruction,
    Made,
    Open,
    Opened,
    Verdict,
)
from longpole.run.policy import Known, Policy
from longpole.run.readiness import Readiness
from longpole.run.room import Room
from longpole.run.tally import Tally


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
        self.finished = False
        self._policy = policy
        self._growth = Growth(expansion, policy.levels)
        self.tally = Tally(expansion.workflow.templates)
        self._losses = Losses(self.graph, self._growth, self.tally, policy)
        self.failures, self.skipped = self._losses.failures, self._losses.skipped
        self._gathering = Gathering(expansion, policy, self.graph, self._growth, self._losses)
        self._room = Room(self.graph, policy.capacity, self.tally)
        self.ready, self.running = self._room.ready, self._room.running
        self._readiness = Readiness(policy, self._gathering, self._room)
        self._out: list[Instruction] = []
        self._failing = Failing(self.graph, self.tally, self._losses, self._room, self._out)
        self._inside = Inside(self.graph, self.tally, self._gathering, self._failing, self._out)
        self._assistance = Assistance(self._growth, self._out)

    @property
    def stopped(self) -> bool:
        """Whether the user has stopped it."""
        return self._failing.stopped

    @property
    def refused(self) -> str:
        """Why no more tasks can come up; empty if they can."""
        return self._growth.refused

    @property
    def well(self) -> bool:
        """Whether everything was done."""
        trouble = self.failures or self.stopped or self.expansion.unexpanded
        return self.finished and not trouble and all(job.done for job in self.graph.jobs)

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
                self._inside.begin(self.graph.jobs[event.job])
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
        self._room.let_ahead(count)

    def stop(self) -> list[Instruction]:
        """Begin nothing new, and stop what runs."""
        self._failing.stop()
        self._go_on()
        return self._told()

    # ---------------------------------------------------------------------- new tasks

    def _grow(self) -> None:
        """Take in all tasks that can be known by now, until no more come up."""
        try:
            while not self.refused:
                new = self._growth.expand()
                for job in self._gathering.gather(new):
                    self._consider(job)
                if not new and not self._growth.learn():
                    break
        except WorkflowError as error:
            self._growth.refused = str(error)
            self._losses.note(self.refused)
        self._consider_held()

    def _consider_held(self) -> None:
        """Look again at clusters that were held back: what they wait for may be there, or never come."""
        for job in self._readiness.take_held():
            self._consider(job)

    # ---------------------------------------------------------------------- the life of a job

    def _consider(self, job: Job) -> None:
        """Let a job begin if nothing keeps it, or its new tasks if it is open."""
        if job.open:
            self._inside.go_on(job, [task for task in job.tasks if task in job.left])
        else:
            self._readiness.consider(job)

    def _reuse(self, job: Job, known: Sequence[Known]) -> None:
        """Take a job for done; one of several tasks may get more while these are taken."""
        self.reused.append(job.number)
        place = 0
        while place < len(job.tasks):
            if place >= len(known):
                more = self._policy.known(job)
                assert more is not None  # nobody else can have joined it
                known = more
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
        job.open, job.trouble = True, ""
        job.left = set(job.tasks)
        self._out.append(Open(job.number, job.attempt))

    def _take_executed(self, job: Job, event: Executed) -> None:
        self._inside.ended(job, event.task)
        if event.verdict is not Verdict.OK or job.trouble:
            self._inside.fail(job, event)
            return
        self.tally.execute(job, self.graph.template(event.task).name)
        self.values[event.task] = event.value
        self._inside.go_on(job, self._note_executed(event.task, event.made))

    def _note_executed(self, task: int, files: Iterable[str]) -> list[int]:
        later = list(self.graph.executed(task))
        if self._growth.executed(task, files):
            self._grow()
        return later

    def _take_closed(self, job: Job, event: Closed) -> None:
        self._room.leave(job)
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
        self._consider_held()

    # ---------------------------------------------------------------------- failures

    def _take_broken(self, job: Job, event: Broken) -> None:
        """Open a job again, or give it up; what a cluster has executed is not executed again."""
        task = job.tasks[0]
        if job.closing or not self._failing.try_again(job, task, event.verdict):
            self._failing.give_up(job, task, event.verdict, event.cause)
            return
        self._out.append(Discard(job.number))
        self._room.leave(job)
        job.open = False
        if job.line is None and event.verdict is Verdict.OUT_OF_MEMORY:
            job.needs = self._failing.with_more_memory(job.needs, task)
        self._room.wait(job)

    # ---------------------------------------------------------------------- around the jobs

    def _go_on(self) -> None:
        """Take what is known to be done, begin what there is room for; when nothing is left, clean up."""
        for known in self._readiness.take_known():
            self._reuse(*known)
        self._assistance.end_levels()
        halted = self._failing.halted
        if not halted:
            for job in self._room.admit():
                self._open(job)
        if not self.running and (halted or not self._room.has_waiting):
            self._assistance.end(rest=not halted)

    def _take_assisted(self, event: Assisted) -> None:
        self._assistance.ended(event)
        if event.cause:
            self._losses.note(event.cause)
        if event.kind is Auxiliary.CREATE_DIR and not event.cause:
            self._grow()
        elif event.kind is Auxiliary.CLEANUP:
            self.finished = True

    def _told(self) -> list[Instruction]:
        out = self._out[:]
        self._out.clear()
        return out
