"""Nextflow's execution trace, as ``-with-trace`` writes it: tries of tasks, their waits and what they used.

Form: tab-separated with a header; any columns in any order, for people or raw (``trace.raw``). What becomes
of it: a task for each call of a process, named as Nextflow names it, its type the process; a phase ``job``
for each try, from submission to completion, with ``queue`` and ``exec`` in it; CPU time is ``%cpu`` of
``realtime``, user and system together. A try of the same name as one that failed before is the next attempt
of that task: by ``attempt`` where there is such a column, else by their times. What was cached has the times
of an earlier run: it has no phase. The trace has no dependencies.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from longpole.exchange.nextflow_cells import Moments
from longpole.exchange.nextflow_trace import Entry, columns_of, entries_of
from longpole.exchange.rows import Row, Rows, as_columns, run_totals, times, total
from longpole.exchange.sentences import count_of
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.execution import Metric, Status
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

TELLER = "Nextflow"
_FAILED = ("FAILED", "ABORTED")
_CACHED = "CACHED"
# Durations for people are rounded to whole seconds, so that a retry may seem to begin before its failure.
_ROUNDED_NS = 1_000_000_000
_SUMMED = (Metric.CPU_USER, Metric.READ, Metric.WRITTEN, Metric.STORAGE_READ, Metric.STORAGE_WRITTEN)
_NO_EDGES = "A trace of Nextflow has no dependencies: which task waited for which is not known."
_GUESSED = (
    "The file does not tell when tasks started: their execution is taken to be the last part, as long as "
    "'realtime', of the time from submission to completion."
)


class NextflowImporter:
    """Reads traces of Nextflow; see ``model.ports.Importer``."""

    name = "nextflow"
    title = "an execution trace of Nextflow"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether the first line names columns of a trace."""
        return bool(columns_of(file.head.decode("utf-8", errors="replace")))

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run of all tasks in these files."""
        moments = Moments(wishes.zone)
        entries: list[Entry] = []
        gaps: list[str] = []
        for file in files:
            found, missing = entries_of(file.read().decode("utf-8", errors="replace"), file.name, moments)
            entries += found
            gaps += [*missing, *_contradictions(found, file.name)]
        rows = _Rows()
        for tries in tasks_of(entries):
            rows.add_task(tries)
        tables = {table: as_columns(table, some) for table, some in rows.finished().items() if some}
        return Told(
            TELLER, wishes.name or "nextflow", tables, (*gaps, *moments.gaps(), *_gaps(entries), _NO_EDGES)
        )


NEXTFLOW = NextflowImporter()


def tasks_of(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the tries of each task, the earliest first."""
    tasks: list[list[Entry]] = []
    failed: dict[str, list[list[Entry]]] = {}
    for entry in sorted(entries, key=lambda one: (one.times.submit_ns or 0, one.attempt or 0)):
        before = failed.setdefault(entry.name, [])
        task = next((one for one in before if _continues(one[-1], entry)), None)
        if task is None:
            task = []
            tasks.append(task)
        else:
            before.remove(task)
        task.append(entry)
        if entry.status in _FAILED:
            before.append(task)
    return tasks


def _continues(last: Entry, entry: Entry) -> bool:
    """Return whether a try follows one that failed."""
    if entry.status == _CACHED:
        return False
    if entry.attempt is not None and last.attempt is not None:
        return entry.attempt == last.attempt + 1
    end_ns, submit_ns = last.times.end_ns, entry.times.submit_ns
    return end_ns is None or submit_ns is None or end_ns <= submit_ns + _ROUNDED_NS


def _status(entry: Entry) -> str:
    if entry.status in _FAILED or (not entry.status and entry.exit_code):
        return Status.FAILED.value
    ended = entry.status == "COMPLETED" or (not entry.status and entry.times.end_ns is not None)
    return Status.OK.value if ended else Status.UNFINISHED.value


def _contradictions(entries: Sequence[Entry], file: str) -> Iterator[str]:
    """Yield a sentence on lines whose times contradict each other.

    Raises:
        UnreadableFileError: All do.
    """
    ran = [entry for entry in entries if entry.status != _CACHED]
    wrong = sum(entry.times.contradict for entry in ran)
    said = "'complete' is before 'start' or 'submit', or 'start' before 'submit'"
    if wrong and wrong == len(ran):
        raise UnreadableFileError(f"The times of all {count_of(wrong, 'task')} of {file} contradict: {said}.")
    if wrong:
        yield f"Of {count_of(wrong, 'task')} of {file} {said}: it is not known."


def _gaps(entries: Sequence[Entry]) -> Iterator[str]:
    cached = sum(entry.status == _CACHED for entry in entries)
    ran = [entry for entry in entries if entry.status != _CACHED]
    if cached:
        tasks = count_of(cached, "task")
        yield f"{tasks} came from the cache: the times of an earlier run that the file has are left out."
    if any(entry.times.guessed for entry in ran):
        yield _GUESSED
    if going := sum(_status(entry) == Status.UNFINISHED.value for entry in ran):
        yield f"{count_of(going, 'task')} had not ended when the file was written."
    if ran and all(entry.times.submit_ns is None for entry in ran):
        yield "The file does not tell when tasks were submitted, so no time in the queue."


class _Rows:
    """Rows of the tables, as they come together."""

    def __init__(self) -> None:
        self._rows: Rows = {"tasks": [], "phases": [], "totals": []}

    def add_task(self, tries: list[Entry]) -> None:
        """Add a task with its tries."""
        last, number = tries[-1], len(self._rows["tasks"]) + 1
        self._rows["tasks"].append(
            {
                "id": number,
                "name": last.name,
                "type": last.type,
                "resources": json.dumps(last.needs),
                "outcome": _outcome(tries),
            }
        )
        attempt = 0
        for entry in tries:
            attempt = max(entry.attempt or 0, attempt + 1)
            if entry.status != _CACHED:
                self._add_try(number, attempt, entry)

    def finished(self) -> Rows:
        """Return all rows, with the sums of the run."""
        self._rows["totals"] += run_totals(self._rows["totals"], _SUMMED)
        return self._rows

    def _add_try(self, task: int, attempt: int, entry: Entry) -> None:
        known = {"task": task, "attempt": attempt, "name": entry.name, "count": 1}
        when, status = entry.times, _status(entry)
        begin_ns = when.start_ns if when.submit_ns is None else when.submit_ns
        whole = self._phase(
            {
                **known,
                "kind": "job",
                **times(begin_ns, when.end_ns),
                "status": status,
                "attributes": _facts(entry),
            }
        )
        inside = {**known, "parent": whole}
        if when.submit_ns is not None:
            waited = times(when.submit_ns, when.start_ns if when.start_ns is not None else when.end_ns)
            state = Status.UNFINISHED if waited["end_ns"] is None else Status.OK
            self._phase({**inside, "kind": "queue", **waited, "status": state.value})
        if when.start_ns is not None or entry.realtime_ns is not None:
            ran = times(when.start_ns, when.end_ns)
            took = entry.realtime_ns if ran["duration_ns"] is None else ran["duration_ns"]
            execution = self._phase({**inside, "kind": "exec", **ran, "duration_ns": took, "status": status})
            self._rows["totals"] += [total(execution, metric, value) for metric, value in entry.used]

    def _phase(self, row: Row) -> int:
        self._rows["phases"].append({"id": len(self._rows["phases"]) + 1, "parent": None, **row})
        return len(self._rows["phases"])


def _outcome(tries: list[Entry]) -> str:
    if tries[-1].status == _CACHED:
        return "cached"
    ran = any(one.times.start_ns is not None or one.realtime_ns is not None for one in tries)
    return "ran" if ran or any(_status(one) == Status.OK.value for one in tries) else "never"


def _facts(entry: Entry) -> str:
    exit_code = {} if entry.exit_code is None else {"exit_code": entry.exit_code}
    realtime = {} if entry.realtime_ns is None else {"realtime_s": entry.realtime_ns / 1e9}
    return json.dumps({**entry.facts, **exit_code, **realtime})
