"""The rows of a Pegasus database, joined by the tries of jobs that they belong to."""

from __future__ import annotations

import json
from collections.abc import Iterator

from longpole.exchange.pegasus_database import Database, Invocation, Job, Try, WorkflowState
from longpole.exchange.pegasus_states import Life, life_of
from longpole.exchange.rows import Row, times
from longpole.exchange.sentences import count_of
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.execution import Status

# DAGMan's scripts among the invocations.
SCRIPTS = {"pre": -1, "post": -2}
_EARLIER = "has an end before its begin for every job: the states of jobs are not in the order of time."
_STARTED, _TERMINATED = "WORKFLOW_STARTED", "WORKFLOW_TERMINATED"


class Joined:
    """What belongs to each try.

    Attributes:
        lives: The life of each try.
        invocations: What each try executed.
        scripts: What DAGMan executed for each try, by order.
    """

    def __init__(self, database: Database) -> None:
        """Join the rows; those of no try are counted."""
        self._database = database
        self._hosts = {host.id: host.name for host in database.hosts}
        self.lives = _lives(database)
        self.invocations: dict[int, list[Invocation]] = {one.id: [] for one in database.tries}
        self.scripts: dict[int, dict[int, Invocation]] = {one.id: {} for one in database.tries}
        self._left_out = 0
        for invocation in database.invocations:
            self._add(invocation)
        self._tries: dict[int, list[Try]] = {job.id: [] for job in database.jobs}
        for one in sorted(database.tries, key=lambda one: (one.order or 0, one.id)):
            self._tries.setdefault(one.job, []).append(one)
        self._runs: dict[int, dict[int, list[WorkflowState]]] = {}
        for state in database.workflow_states:
            self._runs.setdefault(state.workflow, {}).setdefault(state.restart or 0, []).append(state)

    def tries_of(self, job: Job) -> list[Try]:
        """Return the tries of a job, the earliest first."""
        return self._tries[job.id]

    def ran(self) -> set[int]:
        """Return the jobs that were executed."""
        return {
            one.job
            for one in self._database.tries
            if self.invocations[one.id] or any(part.kind == "exec" for part in self.lives[one.id].parts)
        }

    def runs_of(self, workflow: int) -> list[Row]:
        """Return the times and the status of each time a workflow was started."""
        return [_run(states) for _, states in sorted(self._runs.get(workflow, {}).items())]

    def facts_of(self, one: Try) -> str:
        """Return what else is known of a try, as JSON."""
        return known_of(
            cluster_job=one.cluster_job,
            site=one.site,
            host=self._hosts.get(one.host or 0),
            exit_code=exit_code_of(one.exit_code),
            folder=one.folder,
        )

    def gaps(self) -> Iterator[str]:
        """Yield a sentence for each thing that is missing.

        Raises:
            UnreadableFileError: The times of all jobs contradict each other.
        """
        file, lives = self._database.file, self.lives.values()
        if going := sum(life.status is Status.UNFINISHED for life in lives):
            yield f"{count_of(going, 'job')} of {file} had not ended when it was written."
        if wrong := sum(life.contradicts for life in lives):
            if wrong == len(lives):
                raise UnreadableFileError(
                    f"The column 'timestamp' of the table 'jobstate' of {file} {_EARLIER}"
                )
            yield f"Of {count_of(wrong, 'job')} of {file} an end is before its begin: it is not known."
        if self._left_out:
            yield f"Left out, since their job is not in {file}: {count_of(self._left_out, 'invocation')}."

    def _add(self, invocation: Invocation) -> None:
        if invocation.attempt not in self.invocations:
            self._left_out += 1
        elif invocation.order in SCRIPTS.values():
            self.scripts[invocation.attempt][invocation.order] = invocation
        else:
            self.invocations[invocation.attempt].append(invocation)


def known_of(**facts: object) -> str:
    """Return facts as JSON, without those that are not known."""
    return json.dumps({name: value for name, value in facts.items() if value not in (None, "")})


def exit_code_of(status: int | None) -> int | None:
    """Return the exit code of what Pegasus keeps, a wait status; of a signal its number below zero.

    Examples:
        >>> exit_code_of(512), exit_code_of(9), exit_code_of(0)
        (2, -9, 0)
    """
    if status is None or status < 0:
        return status
    return status >> 8 if status > 0xFF else -(status & 0x7F)


def _lives(database: Database) -> dict[int, Life]:
    moments: dict[int, list[tuple[int, str, int | None]]] = {}
    for state in database.states:
        moments.setdefault(state.attempt, []).append((state.order or 0, state.state, state.at_ns))
    lives = {}
    for one in database.tries:
        ordered = sorted(moments.get(one.id, []), key=lambda moment: moment[0])
        lives[one.id] = life_of([(state, at_ns) for _, state, at_ns in ordered], one.exit_code)
    return lives


def _run(states: list[WorkflowState]) -> Row:
    starts = [state.at_ns for state in states if state.state == _STARTED and state.at_ns is not None]
    last = next((state for state in reversed(states) if state.state == _TERMINATED), None)
    start_ns, end_ns = min(starts, default=None), last.at_ns if last is not None else None
    if end_ns is not None and end_ns < (start_ns or 0):
        end_ns = None
    ended = Status.FAILED if last is not None and last.status else Status.OK
    return {**times(start_ns, end_ns), "status": (Status.UNFINISHED if last is None else ended).value}
