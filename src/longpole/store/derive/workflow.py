"""A run of a workflow of ours: from what its drivers wrote into their logs to rows of the run's tables.

All drivers of a run together are one teller, ``Longpole``, whose times are those of the run. Processes that
were started for a part of an attempt lie in that part, and so do all that these started.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from longpole.model.execution import Status
from longpole.store.derive.arrays import Arrays
from longpole.store.derive.attempt_columns import FAILED, UNFINISHED, AttemptColumns
from longpole.store.derive.attempts import Attempts
from longpole.store.derive.content import LogContent
from longpole.store.derive.drivers import Drivers
from longpole.store.derive.executions import Execution
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.known import Known
from longpole.store.derive.processes import Processes
from longpole.store.derive.workflow_notes import Planned
from longpole.store.derive.workflow_parameters import parameters_of
from longpole.store.derive.workflow_phases import Names, PhaseRows
from longpole.store.derive.workflow_processes import processes_of
from longpole.store.derive.workflow_rows import WorkflowRows

SOURCE = "Longpole"
_EXECUTION = "exec"


class Workflow:
    """The workflow that a run executed; most runs have none.

    Attributes:
        drivers: Who executed it.
        executed: By process that was started for a part of an attempt, where it belongs.
        auxiliary: Types of what the runner itself did.
    """

    def __init__(self, logs: Sequence[LogContent], hosts: Hosts) -> None:
        """Take what drivers told."""
        self.drivers = Drivers(logs, hosts)
        attempts = Attempts()
        for session, notes in enumerate(self.drivers.notes()):
            attempts.take(session, notes)
        self._repeated = attempts.repeated
        self._rows = WorkflowRows(self.drivers, attempts)
        self.auxiliary = _auxiliary(self._rows.planned.values())
        self._attempts = AttemptColumns(attempts, self.drivers)
        self.executed: dict[Known, Execution] = {}

    def __bool__(self) -> bool:
        """Return whether there is one."""
        return len(self.drivers) > 0

    def tables(self, processes: Processes, latest_ns: int) -> dict[str, Arrays]:
        """Return what was told, once: then it is let go. Ids are the drivers', but for those of processes.

        Args:
            processes: All that were recorded.
            latest_ns: When the run was last seen.
        """
        last_ns = self.drivers.last_ns(processes, latest_ns)
        known = processes_of(self._attempts.parts, self.drivers, processes, last_ns)
        self._attempts.settle(known, last_ns)
        phases = PhaseRows(self._attempts, self._names())
        placements = [self.drivers.placement(session) for session in range(len(self.drivers))]
        self._find_executed(phases, known)
        seen = set(self._attempts.job.tolist()) | set(phases.part_tasks.tolist())
        told = {
            **self._rows.tables(seen),
            "phases": phases.table(placements, known),
            "totals": phases.totals(),
        }
        self.drivers.let_go()
        del self._rows
        return told

    def _names(self) -> Names:
        rows = self._rows
        return Names(rows.tasks, rows.types, rows.groups, rows.held)

    @property
    def status(self) -> Status:
        """How it ended: as the last attempts of its jobs did, if its driver came to an end."""
        if self.failed:
            return Status.FAILED
        return Status.UNFINISHED if self.cut or not self.drivers.ended else Status.OK

    @property
    def failed(self) -> int:
        """How many jobs failed in their last attempt."""
        return int((self._attempts.status[self._attempts.last] == FAILED).sum())

    @property
    def cut(self) -> int:
        """How many jobs were broken off in their last attempt."""
        return int((self._attempts.status[self._attempts.last] == UNFINISHED).sum())

    def facts(self, version: str) -> str | None:
        """Return what is known of it as a whole, as JSON; nothing where there is none."""
        if not self:
            return None
        said = self.drivers.said
        facts = {"system": SOURCE, "version": version}
        if said is not None:
            facts |= {"workflow": said.workflow, "placement": said.placement, "file": said.file}
        more = {
            "drivers": len(self.drivers),
            "parameters": parameters_of(said) if said is not None else {},
            "plan": self.drivers.outline,
        }
        known = {name: value for name, value in {**facts, **more}.items() if value}
        return json.dumps(known, ensure_ascii=False)

    @property
    def doubts(self) -> tuple[tuple[int, str, str], ...]:
        """What was told and cannot be: how often, of what, and what became of it."""
        return (
            (self._repeated, "start or end", "of attempts that was told before: the first counts"),
            (
                self._attempts.headless,
                "attempt",
                "whose start nobody told: it is taken to begin with its parts",
            ),
            (self._attempts.parts.impossible, "part", "of attempts with times that cannot be: left out"),
        )

    def _find_executed(self, phases: PhaseRows, known: Sequence[Known | None]) -> None:
        """Find where processes belong; one that is named by several parts belongs to the execution."""
        parts = self._attempts.parts
        tasks = np.searchsorted(self._rows.tasks, phases.part_tasks) + 1
        unknown = ~np.isin(phases.part_tasks, self._rows.tasks)
        for row in np.flatnonzero(parts.numbers["own"] > 0).tolist():
            process, owner = known[row], int(parts.owner[row])
            if process is None or (process in self.executed and parts.kind[row] != _EXECUTION):
                continue
            attempt = int(self._attempts.attempt[owner]) if owner >= 0 else 1
            task = 0 if unknown[row] else int(tasks[row])
            span = int(parts.numbers["start"][row]), int(parts.numbers["end"][row])
            self.executed[process] = Execution(task, attempt, phases.first_part + row, span)


def _auxiliary(planned: Iterable[Planned]) -> tuple[str, ...]:
    """Return types of what the runner itself did, but for those that a task of the user's has as well."""
    types = {(one.type, one.auxiliary) for one in planned}
    return tuple(sorted(name for name, auxiliary in types if auxiliary and (name, False) not in types))
