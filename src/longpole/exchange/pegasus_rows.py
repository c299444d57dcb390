"""From databases of Pegasus to the rows of a run: workflows, tries of jobs, invocations, edges, hosts."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.exchange.pegasus_database import Database, Edge, Invocation, Job, Try
from longpole.exchange.pegasus_joined import SCRIPTS, Joined, exit_code_of, known_of
from longpole.exchange.pegasus_states import Part
from longpole.exchange.pegasus_tasks import Tasks, kind_of
from longpole.exchange.rows import Row, Rows, run_totals, times, total
from longpole.exchange.sentences import count_of
from longpole.model.execution import Metric, Status

# Jobs that move data: what they execute is of this kind, and of others a step.
_STAGING = ("stage_in", "stage_out")


class PegasusRows:
    """Rows of the tables, as they come together; several databases make one run.

    Attributes:
        gaps: A sentence for each thing that is missing.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._tasks = Tasks()
        self._rows: Rows = {"phases": [], "edges": [], "totals": [], "hosts": []}
        self._hosts: set[str] = set()
        self.gaps: list[str] = []

    def finished(self) -> Rows:
        """Return all rows, with the CPU time of the run."""
        self._rows["totals"] += run_totals(self._rows["totals"], (Metric.CPU_USER,))
        return {"tasks": self._tasks.rows, **self._rows}

    def add(self, database: Database) -> None:
        """Add all that a database holds."""
        joined = Joined(database)
        self._tasks.add(database, joined.ran())
        self._add_hosts(database)
        runs = {one.id: self._add_workflow(one.label, joined.runs_of(one.id)) for one in database.workflows}
        holders: dict[int, list[tuple[int, Row]]] = {}
        for job in database.jobs:
            for attempt, one in enumerate(joined.tries_of(job), start=1):
                above = _latest(runs.get(job.workflow, []), joined.lives[one.id].start_ns)
                same = {"task": self._tasks.of_job[job.id], "attempt": attempt, "name": job.name}
                holder = self._add_try(joined, job, one, {**same, "parent": above["id"] if above else None})
                if one.below is not None:
                    holders.setdefault(one.below, []).append((job.workflow, holder))
        _hang_below(runs, holders)
        self._add_edges(database)
        going = sum(some[-1]["status"] == Status.UNFINISHED.value for some in runs.values())
        self.gaps += [*database.gaps, *_still_going(going, database.file), *joined.gaps()]

    def _add_hosts(self, database: Database) -> None:
        for host in database.hosts:
            if host.name not in self._hosts:
                self._hosts.add(host.name)
                row = {"id": len(self._hosts), "name": host.name, "kernel": host.system}
                self._rows["hosts"].append(row)

    def _add_workflow(self, label: str | None, runs: list[Row]) -> list[Row]:
        """Add a phase for each time a workflow was started; one without times if it never was."""
        never = {**times(None, None), "status": Status.UNFINISHED.value}
        return [self._phase({"kind": "workflow", "name": label or "?", **run}) for run in runs or [never]]

    def _add_try(self, joined: Joined, job: Job, one: Try, same: Row) -> Row:
        """Add a try with its parts; return the phase in which the last lies that it executed."""
        life = joined.lives[one.id]
        when = {**times(life.start_ns, life.end_ns), "status": life.status.value}
        whole = self._phase({**same, "kind": "job", **when, "attributes": joined.facts_of(one)})
        same = {**same, "parent": whole["id"]}
        parts = [self._add_part(same, part, joined.scripts[one.id]) for part in life.parts]
        executions = [row for row in parts if row["kind"] == "exec"]
        for invocation in joined.invocations[one.id]:
            holder = _latest(executions, invocation.start_ns) or whole
            self._add_invocation({**same, "parent": holder["id"]}, job, invocation)
        return executions[-1] if executions else whole

    def _add_part(self, same: Row, part: Part, scripts: dict[int, Invocation]) -> Row:
        script = scripts.get(SCRIPTS.get(part.kind, 0))
        when = {**times(part.start_ns, part.end_ns), "status": part.status.value}
        facts = None if script is None else _facts(script)
        return self._phase({**same, "kind": part.kind, **when, "attributes": facts})

    def _add_invocation(self, same: Row, job: Job, one: Invocation) -> None:
        end_ns = None if one.start_ns is None or one.took_ns is None else one.start_ns + one.took_ns
        row = self._phase(
            {
                **same,
                "task": self._tasks.of_task.get((job.workflow, one.task or ""), same["task"]),
                "kind": kind_of(job) if kind_of(job) in _STAGING else "jobstep",
                "name": one.transformation or "?",
                **times(one.start_ns, end_ns),
                "duration_ns": one.took_ns,
                "status": (Status.FAILED if one.exit_code else Status.OK).value,
                "attributes": _facts(one),
            }
        )
        used = {Metric.CPU_USER: one.cpu_ns, Metric.PEAK_MEMORY: one.peak_bytes}
        self._rows["totals"] += [
            total(row["id"], metric, float(value)) for metric, value in used.items() if value is not None
        ]

    def _add_edges(self, database: Database) -> None:
        lost = self._edges("control", database.job_edges, self._tasks.of_job_name)
        lost += self._edges("data", database.task_edges, self._tasks.of_task)
        if lost:
            edges = count_of(lost, "edge")
            self.gaps.append(f"Left out, since one of their ends is not in {database.file}: {edges}.")

    def _edges(self, kind: str, edges: list[Edge], found: dict[tuple[int, str], int]) -> int:
        """Add edges between what is known; return how many are not."""
        lost = 0
        for edge in edges:
            before, after = found.get((edge.workflow, edge.before)), found.get((edge.workflow, edge.after))
            if before is None or after is None:
                lost += 1
                continue
            row = {"id": len(self._rows["edges"]) + 1, "kind": kind, "from_task": before, "to_task": after}
            self._rows["edges"].append(row)
        return lost

    def _phase(self, row: Row) -> Row:
        whole = {"id": len(self._rows["phases"]) + 1, "parent": None, "count": 1, **row}
        self._rows["phases"].append(whole)
        return whole


def _hang_below(runs: dict[int, list[Row]], holders: dict[int, list[tuple[int, Row]]]) -> None:
    """Make each workflow part of the try that ran it; none can come to lie in itself."""
    above: dict[int, int] = {}
    for below, some in holders.items():
        workflow = some[0][0]
        if below in _chain(above, workflow):
            continue
        above[below] = workflow
        for run in runs.get(below, []):
            holder = _latest([row for of, row in some if of == workflow], run["start_ns"])
            run["parent"] = holder["id"] if holder else None


def _chain(above: dict[int, int], workflow: int) -> Iterator[int]:
    """Yield a workflow and all that it lies in."""
    yield workflow
    while workflow in above:
        workflow = above[workflow]
        yield workflow


def _latest(phases: list[Row], moment_ns: int | None) -> Row | None:
    """Return the last of some phases that began by a moment, or else the first."""
    begun = [row for row in phases if (row["start_ns"] or 0) <= (moment_ns or 0)]
    return begun[-1] if begun else next(iter(phases), None)


def _facts(one: Invocation) -> str:
    return known_of(
        invocation=one.order,
        executable=one.executable,
        task=one.task,
        exit_code=exit_code_of(one.exit_code),
    )


def _still_going(count: int, file: str) -> list[str]:
    return [f"{count_of(count, 'workflow')} of {file} had not ended when it was written."] if count else []
