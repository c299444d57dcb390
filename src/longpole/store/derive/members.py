"""Commands that made a run together, as tasks: each joined it by ``longpole record --into``.

Commands of one Slurm job, or of one element of a job array, are one task, and a job that was requeued has
several attempts; any other command is a task of its own. An attempt is a phase ``job`` with ``exec`` in it,
before that ``hold`` and ``queue`` where Slurm has told when the job was submitted and could start, and in
``exec`` a phase ``command`` for each command of a job. Slurm's times are whole seconds: what began within the
second of its job's start is taken at its own time. A process belongs to the command below whose launcher it
ran. A command that ran for a task that another system told makes no task: its processes lie in that one's
execution. Nor does the driver of a workflow of ours: it lies in the run, and what it started for a task in
that one's execution.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from longpole.model.execution import Status
from longpole.store.derive.arrays import Part
from longpole.store.derive.content import LogContent
from longpole.store.derive.executions import Executions
from longpole.store.derive.exits import Exits, Finish
from longpole.store.derive.homes import Home, homes_below
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.known import Known
from longpole.store.derive.member_rows import Row, columns, command_facts, job_facts, task_row
from longpole.store.derive.notes import Slurm
from longpole.store.derive.origins import RUN_ID
from longpole.store.derive.processes import Processes
from longpole.store.derive.rings import Hello, Rings

_NS = 1_000_000_000
# The kernel keeps so much of a program's name.
_LONGEST_NAME = 15
_Job = tuple[str, int]
# What the command that drives a workflow says of its task.
DRIVER_TASK = "Longpole:driver:"


@dataclass(slots=True)
class Member(Home):
    """One command: what it said of itself, when it began and how it ended, and its processes."""

    host: int
    hello: Hello
    start_ns: int
    finish: Finish | None
    processes: list[Known] = field(default_factory=list)
    drives: bool = False

    def end_ns(self, otherwise_ns: int) -> int:
        """Return when it ended: if nobody saw that, when the last of its processes was gone."""
        if self.finish is not None:
            return self.finish.end_ns
        ends = [known.end_ns for known in self.processes]
        if not ends or None in ends:
            return max(otherwise_ns, self.start_ns)
        return max(self.start_ns, *(end for end in ends if end is not None))

    @property
    def status(self) -> Status:
        """How it ended."""
        if self.finish is None:
            return Status.UNFINISHED
        return Status.FAILED if self.finish.status else Status.OK


class Members:
    """All commands of a joint run, and the rows they make; a run of one command has none.

    Attributes:
        nested: Commands of a ``record`` inside a recorded command, by its ring, that ran for a told task.
    """

    def __init__(
        self, logs: list[LogContent], rings: Rings, exits: Exits, hosts: Hosts, executions: Executions
    ) -> None:
        """Find them by their rings."""
        self._jobs = {(note.job, note.restarts): note for log in logs for note in log.notes.of(Slurm)}
        self.by_ring: dict[int, Member] = {}
        for index, ring in enumerate(rings.all):
            if ring.of_member:
                began_ns = hosts.utc(ring.log, ring.hello.began)
                finish = exits.finishes.get(index)
                start_ns = finish.start_ns if finish else began_ns
                self.by_ring[index] = Member(hosts.ids[ring.log], ring.hello, start_ns, finish)
        self.all = sorted(self.by_ring.values(), key=lambda member: member.start_ns)
        self.nested = {
            index: Member(hosts.ids[ring.log], ring.hello, 0, None)
            for index, ring in enumerate(rings.all)
            if ring.of_joined_launcher and executions.of(ring.hello)
        }
        self._launchers = {index: (rings.all[index].log, rings.all[index].number) for index in self.nested}
        for member in (*self.all, *self.nested.values()):
            member.execution = executions.of(member.hello)
        self._drivers = executions.driven.drivers
        for member in self.all:  # one whose process nobody saw, since all was killed at once, says so itself
            member.drives = bool(self._drivers) and member.hello.task.startswith(DRIVER_TASK)
        self._homes = {known: Home(execution=one) for known, one in executions.driven.executed.items()}
        self._rows: list[Row] = []
        self._tasks: list[Row] = []

    def __len__(self) -> int:
        """Return how many tasks they make."""
        return len(self._tasks)

    @property
    def rows(self) -> int:
        """How many phases they make."""
        return len(self._rows)

    def span(self) -> tuple[int, int] | None:
        """Return from the first submission to the last end; nothing where no command joined."""
        starts = [int(row["start_ns"] or 0) for row in self._rows]
        ends = [int(row["end_ns"] or 0) for row in self._rows]
        return (min(starts), max(ends)) if starts else None

    @property
    def unanswered(self) -> list[tuple[str, str]]:
        """The jobs of which Slurm did not say how long they waited, and why not."""
        return [(job, note.problem) for (job, _), note in sorted(self._jobs.items()) if note.problem]

    @property
    def failed(self) -> bool:
        """Whether a task failed in its last attempt."""
        last = {row["task"]: row["status"] for row in self._rows if row["kind"] == "job"}
        return Status.FAILED.value in last.values()

    def adopt(self, processes: Processes) -> None:
        """Give each process to the command it ran for."""
        by_pid: dict[tuple[int, int], list[Member]] = {}
        for member in self.all:
            by_pid.setdefault((member.host, member.hello.pid), []).append(member)
        nested = {id(processes.of(*key)): self.nested[index] for index, key in self._launchers.items()}
        homes = homes_below(self._homes, processes.all)
        for known in processes.all:
            launched = nested.get(id(known.launched_by)) if known.launched_by else None
            known.member = launched or homes.get(known)
            known.executes = launched is None and known in self._homes
            if known.member is None or launched is not None:
                self._join(known, launched or self._of(known, by_pid) or _inherited(known))

    def _join(self, known: Known, member: Member | None) -> None:
        known.member = member
        if member is None:
            return
        member.processes.append(known)
        if known.parent is None:
            _name_root(known, member)
            member.drives = self._is_driver(known, member)

    def _is_driver(self, known: Known, member: Member) -> bool:
        """Return whether a command is the driver of a workflow of ours."""
        return member.drives or (known.host, known.pid) in self._drivers

    def _of(self, known: Known, by_pid: dict[tuple[int, int], list[Member]]) -> Member | None:
        if known.ended_in is not None and known.ended_in in self.by_ring and known.parent is None:
            return self.by_ring[known.ended_in]
        begun = [
            member
            for member in by_pid.get((known.host, known.launcher), ())
            if known.start_ns is None or member.start_ns <= known.start_ns + _NS
        ]
        return begun[-1] if begun else None

    @property
    def own(self) -> list[Member]:
        """The commands that ran for no task that was told, and told of none."""
        return [member for member in self.all if member.execution is None and not member.drives]

    def settle(self, latest_ns: int) -> None:
        """Make tasks and phases of them; ``latest_ns`` is when the run was last seen."""
        for members in _grouped(self.own):
            self._tasks.append(task_row(len(self._tasks) + 1, members[0].hello))
            earlier_ns = 0
            for attempt in _attempts(members):
                earlier_ns = self._add_attempt(attempt, earlier_ns, latest_ns)
        for home in (*self.all, *self.nested.values(), *self._homes.values()):
            home.settle(self.rows, len(self))

    def tasks(self) -> Part:
        """Return the rows of ``tasks``."""
        return columns(self._tasks, ("name", "type", "resources", "outcome"), ("id",))

    def phases(self) -> Part:
        """Return the rows of ``phases``, without their ids."""
        numbers = ("parent", "task", "attempt", "start_ns", "end_ns", "duration_ns", "count")
        return columns(self._rows, ("kind", "name", "status", "attributes"), numbers)

    def _add_attempt(self, members: list[Member], earlier_ns: int, latest_ns: int) -> int:
        """Add the phases of one attempt; return when it ended."""
        hello = members[0].hello
        note = self._jobs.get(_job(hello), Slurm(job="", restarts=0))
        begin_ns = min(member.start_ns for member in members)
        end_ns = max(member.end_ns(latest_ns) for member in members)
        started_ns = min(note.start * _NS, begin_ns) if note.start else begin_ns
        eligible_ns = min(max(note.eligible * _NS, earlier_ns), started_ns) if note.eligible else started_ns
        submit_ns = min(max(note.submit * _NS, earlier_ns), eligible_ns) if note.submit else eligible_ns
        if eligible_ns - submit_ns <= _NS:  # within what Slurm can tell: it was never held
            eligible_ns = submit_ns
        status = _worst(members)
        common: Row = {
            "task": len(self._tasks),
            "attempt": (hello.slurm.restarts if hello.slurm else 0) + 1,
            "name": str(self._tasks[-1]["name"]),
            "status": status.value,
        }
        facts = json.dumps(job_facts(hello, note)) if hello.slurm else None
        job = self._add(RUN_ID, "job", (submit_ns, end_ns), {**common, "attributes": facts})
        waits: Row = {**common, "status": Status.OK.value}
        if eligible_ns > submit_ns:
            self._add(job, "hold", (submit_ns, eligible_ns), waits)
        if started_ns > eligible_ns:
            self._add(job, "queue", (eligible_ns, started_ns), waits)
        execution = self._add(job, "exec", (started_ns, end_ns), common)
        for member in members:
            member.task, member.attempt = len(self._tasks), int(common["attempt"] or 1)
            member.phase = self._add_command(member, execution, latest_ns) if hello.slurm else execution
        return end_ns

    def _add_command(self, member: Member, parent: int, latest_ns: int) -> int:
        common: Row = {
            "task": member.task,
            "attempt": member.attempt,
            "name": member.hello.name or "?",
            "status": member.status.value,
            "attributes": json.dumps(command_facts(member.hello, member.finish)),
        }
        return self._add(parent, "command", (member.start_ns, member.end_ns(latest_ns)), common)

    def _add(self, parent: int, kind: str, span: tuple[int, int], facts: Row) -> int:
        start_ns, end_ns = span
        times: Row = {"start_ns": start_ns, "end_ns": end_ns, "duration_ns": max(0, end_ns - start_ns)}
        self._rows.append({"parent": parent, "kind": kind, **times, "count": 1, "attributes": None, **facts})
        return RUN_ID + len(self._rows)


def _name_root(known: Known, member: Member) -> None:
    """Give the first process of a command what its launcher knows of it."""
    if known.rank is None:
        known.rank, known.world = member.hello.rank, member.hello.world
    if member.finish is None or member.finish.pid != known.pid:
        return
    program = member.hello.command.partition(" ")[0].rpartition("/")[2][:_LONGEST_NAME]
    if known.last_name == program != known.comm:  # seen last as a copy of its launcher, about to become it
        known.comm, known.command, known.python = program, member.hello.command, None
    elif known.command[:1] in ("", "["):
        known.command = member.hello.command


def _inherited(known: Known) -> Member | None:
    """Return the command of the closest ancestor that has one."""
    above = known.parent
    while above is not None and not isinstance(above.member, Member):
        above = above.parent
    return above.member if above is not None else None


def _job(hello: Hello) -> _Job:
    return (hello.slurm.job, hello.slurm.restarts) if hello.slurm else ("", 0)


def _grouped(members: Iterable[Member]) -> list[list[Member]]:
    """Return the commands of each task together, in the order in which tasks began."""
    groups: dict[tuple[str, str, int], list[Member]] = {}
    for number, member in enumerate(members):
        slurm = member.hello.slurm
        key = (slurm.cluster, slurm.job, 0) if slurm else ("", "", number + 1)
        groups.setdefault(key, []).append(member)
    return list(groups.values())


def _attempts(members: list[Member]) -> Iterator[list[Member]]:
    tries: dict[int, list[Member]] = {}
    for member in members:
        tries.setdefault(_job(member.hello)[1], []).append(member)
    for number in sorted(tries):
        yield tries[number]


def _worst(members: list[Member]) -> Status:
    found = {member.status for member in members}
    return next(
        (status for status in (Status.FAILED, Status.UNFINISHED) if status in found),
        Status.OK,
    )
