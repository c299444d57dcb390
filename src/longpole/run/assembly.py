"""Putting a driver together: from a workflow and what was asked for to something that can run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from time import monotonic_ns

from longpole.describe.checks.inputs import check_inputs, found_in
from longpole.describe.checks.room import check_resources
from longpole.errors import UsageError
from longpole.model.plan import RULES, Clustering, Handing, Placement, Sent
from longpole.model.ports import Runtime
from longpole.model.staging import StagingError
from longpole.model.workflow import Resources, Template, Workflow, WorkflowError
from longpole.plan.clusters import Clusters, SizeOf
from longpole.plan.expansion import Expansion
from longpole.plan.outside import Outside, found_members
from longpole.plan.templates import levels
from longpole.run.assisting import Assisting, Places, Results
from longpole.run.capacity import Capacity
from longpole.run.chosen_parameters import told_parameters
from longpole.run.containers.runtimes import AUTO, choose, runtime_named
from longpole.run.driver import Driver, Parts
from longpole.run.engines.local.engine import LocalEngine
from longpole.run.engines.local.settings import Settings
from longpole.run.image_places import with_images_in_place
from longpole.run.jobs import Job
from longpole.run.journal import Failure, Journal
from longpole.run.ledger import Ledger
from longpole.run.locations import Locations
from longpole.run.machine import this_machine
from longpole.run.memory.limits import find_limits
from longpole.run.orders import Orders, needs_of
from longpole.run.outline import outline_of, sizes_of
from longpole.run.policy import Known, Policy
from longpole.run.recorder import recorder_folders
from longpole.run.request import Request, as_text
from longpole.run.results import plain_results, wanted_outside, wanted_results
from longpole.run.resuming import Past
from longpole.run.reusing import Reuse
from longpole.run.runner import Runner
from longpole.run.scratch import take_scratch
from longpole.run.staging.checksums import Checksums, digest_for
from longpole.run.staging.results import check_places
from longpole.run.standing import known_after
from longpole.run.survivors import end_survivors
from longpole.run.transport import Transport
from longpole.store.derive.workflow_notes import Driver as DriverNote
from longpole.store.workflow import read_driver_logs
from longpole.units import Bytes

OUTPUT_FOLDER = "output"
_LOST = "The driver that began it has died."


class Assembly:
    """All parts of one run of a workflow.

    Attributes:
        driver: What runs it.
        runner: What decides.
        engine: What acts.
        assisting: What is done for the workflow, beside its tasks.
        journal: What is written down.
    """

    def __init__(self, workflow: Workflow, request: Request, clustering: Clustering, run_path: str) -> None:
        """Check that the workflow can run here, end what is left of an earlier driver, and make all parts.

        Raises:
            LongpoleError: It cannot be run; the sentence says why.
            OSError: A folder cannot be made.
        """
        workflow = with_images_in_place(workflow)
        self._workflow, self._request, self._run_path = workflow, request, run_path
        self._here = this_machine(request)
        self._rules = RULES[Placement(request.placement)]
        self._needs: dict[str, Resources] = {}
        check_resources(workflow, self._here.cores, self._here.memory_bytes, len(self._here.gpus), 1)
        check_inputs(workflow, found_in(workflow))
        self._expansion = Expansion(workflow, found_members(workflow))
        self._locations = Locations(workflow, request.work, self._is_spent)
        self._clusters = Clusters(clustering, self._expansion, self._size_of(Outside(workflow)))
        self._levels = _levels(self._expansion, self._clusters)
        _check_writable(request.out, "--out")
        _check_results(workflow, request.out)
        _make_folder(self._locations.kept, "--work")
        self._ledger = Ledger(request.work, self._locations.kept)
        self._past = Past(read_driver_logs(run_path), self._expansion, self._ledger.holds)
        self.runner = Runner(self._expansion, self._policy())
        self._orders = Orders(self._expansion, self._locations, self.runner.values)
        made = (self._locations, self._ledger)
        self._reuse = Reuse(self._expansion, self._orders, *made, request.container)
        self.journal = self._begin()
        roots = (self._locations.kept, self._locations.fetched)
        self._transport = Transport(workflow, request, self._rules, roots)
        self.engine = LocalEngine(self._settings())
        self.driver = Driver(self._parts())

    @property
    def run_id(self) -> str:
        """Which run it is."""
        return os.path.basename(self._run_path.rstrip("/")).rpartition("-")[2]

    @property
    def cores(self) -> int:
        """How many cores jobs may use."""
        return self._here.cores

    @property
    def scratch(self) -> str:
        """Where jobs of this run have their folders."""
        return os.path.join(self._request.scratch, self.run_id)

    def finish(self) -> None:
        """Write down which tasks did not run, and what the workflow turned out to be."""
        self.driver.note_outcomes()
        outside = Outside(self._expansion.workflow)
        self.journal.sizes(sizes_of(self._expansion.outside, outside))
        outline = outline_of(self.runner.graph, self._expansion, self._rules, outside)
        if outline is not None:
            self.journal.outline(outline)

    def close(self) -> None:
        """Give everything back."""
        self.engine.close()
        self._transport.close()
        self._ledger.close()
        self.journal.close()

    def _is_spent(self, checkpoint: str) -> bool:
        """Return whether a checkpoint that an earlier run has left is none to go on from."""
        return not self._request.reuse or self._ledger.is_spent(checkpoint)

    def _begin(self) -> Journal:
        left = end_survivors(self.run_id)
        if left:
            raise UsageError(
                f"Processes of this run are still there and cannot be ended: {', '.join(map(str, left))}. "
                "End them before it goes on."
            )
        take_scratch(self.scratch)  # now that nobody is left who might be removing it
        journal = Journal(self._run_path, self._past.tasks, self._past.files)
        workflow, text = self._workflow, as_text(self._request)
        who = (monotonic_ns(), os.getpid(), workflow.name, self._request.placement, workflow.file, text)
        types = tuple(known_after(self._expansion).items())
        journal.begin(DriverNote(*who, types, self._here.cores, told_parameters(workflow.parameters)))
        for number, attempt in self._past.unfinished():
            journal.fail(number, attempt, monotonic_ns(), (), Failure(2, _LOST))
        return journal

    def _policy(self) -> Policy:
        here, clusters = self._here, self._clusters
        return Policy(
            capacity=Capacity(here.cores, here.memory_bytes, len(here.gpus)),
            levels=self._levels,
            keep_going=self._request.keep_going,
            cluster=lambda new: [(group.label, group.tasks) for group in clusters.assign(new) if group.label],
            label=clusters.label_of,
            needs=self._needs_of,
            earlier=self._past.job_of,
            is_taken=self._past.has,
            known=self._known,
            attempts=self._past.attempts,
        )

    def _needs_of(self, template: Template) -> Resources:
        """Return what a task holds while its job is open, found out once for each template."""
        found = self._needs.get(template.name)
        if found is None:
            linked = self._rules.stage_in == "link" and self._rules.stage_out is Handing.MOVE
            waits = linked or template.call is not None
            found = self._needs[template.name] = needs_of(template) if waits else template.resources
        return found

    def _known(self, job: Job) -> Sequence[Known] | None:
        """Return what a job has made, if it need not run: in this run, or before it."""
        found = self._past.known(job)
        if found is None and self._request.reuse and not job.label:
            made = self._reused(job.tasks[0])
            found = None if made is None else [made]
        for each in found or ():
            self._locations.keep(each.made)
        return found

    def _reused(self, task: int) -> Known | None:
        """Return what a task has made before this run; one that cannot be ordered fails when it begins."""
        try:
            return self._reuse.known(task)
        except WorkflowError:
            return None

    def _size_of(self, outside: Outside) -> SizeOf:
        """Return what tells the size of a file: one that was made, or one from outside."""

        def size(name: str) -> Bytes | None:
            made = self._locations.made(name)
            return outside.size(name) if made is None else made.size_bytes

        return size

    def _settings(self) -> Settings:
        request, transport = self._request, self._transport
        return Settings(
            run_id=self.run_id,
            scratch=self.scratch,
            output=os.path.join(self._run_path, OUTPUT_FOLDER),
            environment=dict(os.environ),
            templates=self._workflow.templates,
            kept=self._locations.kept,
            digest=digest_for(Checksums(request.checksums)),
            way=transport.way,
            runtime=_runtime(request.container),
            limits=find_limits(os.getpid()),
            bring=transport.bring,
            send=transport.send,
            sends_images=self._rules.image is Sent.EACH_JOB,
            workers=self._here.cores,
            gpus=self._here.gpus,
            folder=self._workflow.folder,
            checkpoint=self._locations.checkpoint,
            shared=recorder_folders(os.environ),
        )

    def _parts(self) -> Parts:
        places = Places(self.scratch, self._locations, self._ledger)
        results = Results(self._request.out, wanted_results(self._workflow), self._levels)
        self.assisting = Assisting(self.runner, self.engine, places, results)
        return Parts(
            runner=self.runner,
            engine=self.engine,
            journal=self.journal,
            orders=self._orders,
            locations=self._locations,
            session=self._past.sessions + 1,
            scratch=self.scratch,
            assist=self.assisting,
            wanted=wanted_outside(self._workflow, self._clusters.label_of),
            look_at=self._reuse.look_at,
            remember=self._reuse.note,
            settle=self._ledger.flush,
        )


def _make_folder(path: str, option: str) -> None:
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"Cannot make the folder {path}: {error.strerror}. Choose another with {option}."
        ) from error


def _check_writable(path: str, option: str) -> None:
    """Refuse a folder that could not be made or written in the end, after hours perhaps."""
    there = path
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    cause = "" if os.access(there, os.W_OK | os.X_OK) else f"{there} may not be written"
    if not os.path.isdir(there):
        cause = f"{there} is no folder"
    if cause:
        raise UsageError(f"Results cannot go to {path}: {cause}. Choose another with {option}.")


def _check_results(workflow: Workflow, folder: str) -> None:
    """Refuse results that would take the place of a user's files in the end, as far as they are known."""
    try:
        check_places(plain_results(workflow), folder)
    except StagingError as error:
        raise UsageError(str(error)) from error


def _runtime(name: str) -> Callable[[str], Runtime]:
    return choose if name == AUTO else lambda _: runtime_named(name)


def _levels(expansion: Expansion, clusters: Clusters) -> dict[str, int]:
    """Return the level of each template's jobs: those of a cluster have the cluster's."""
    units = {name: clusters.label_of(name) or f"task {name}" for name in expansion.workflow.templates}
    before: dict[str, set[str]] = {unit: set() for unit in units.values()}
    for name, unit in units.items():
        before[unit] |= {units[earlier] for earlier in expansion.before[name]} - {unit}
    found = levels(before)
    return {name: found[unit] for name, unit in units.items()}
