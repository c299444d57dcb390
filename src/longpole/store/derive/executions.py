"""Executions of tasks as another system told them: where the processes of a command belong that it started.

A command that was started for a told task says so (``LONGPOLE_TASK``): who tells of the task, the task's id
there or its name, and the attempt. Its processes lie in the phase ``exec`` of that attempt, or in
``submitted`` where nobody told when it ran. An attempt that a batch system itself started again has several
executions, in the order of its restarts. Commands whose process the driver of a workflow of ours names need
not say anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from longpole.store.derive.arrays import Arrays
from longpole.store.derive.known import Known
from longpole.store.derive.rings import Hello
from longpole.store.derive.told import ToldRows

_KINDS = ("exec", "submitted")
# Who tells, the id of the task there or its name, and the attempt.
_Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Execution:
    """A phase in which a task was executed; task and phase are counted from 1 among all that was told.

    The span is from when to when, where whoever told it started the process itself, and waited for it.
    """

    task: int
    attempt: int
    phase: int
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Driven:
    """What drivers of a workflow of ours did: processes they started for tasks, and host and pid of each."""

    executed: Mapping[Known, Execution] = field(default_factory=dict)
    drivers: frozenset[tuple[int, int]] = frozenset()


class Executions:
    """All executions that were told; looked for when they are first asked for, as most runs never do.

    Attributes:
        driven: Those of a workflow of ours, by process.
    """

    def __init__(self, told: ToldRows, driven: Driven | None = None) -> None:
        """Take what was told."""
        self.driven = driven or Driven()
        self._told = told
        self._names: dict[int, str] = {}
        self._by_kind: dict[str, dict[_Key, list[Execution]]] = {}

    def of(self, hello: Hello) -> Execution | None:
        """Return where a command was executed that says this of itself, if that was told."""
        key = _key(hello.task)
        if key is None:
            return None
        if not self._by_kind:
            self._find()
        found = next((known[key] for known in self._by_kind.values() if key in known), [])
        restarts = hello.slurm.restarts if hello.slurm else 0
        return found[min(restarts, len(found) - 1)] if found else None

    def _find(self) -> None:
        self._by_kind = {kind: {} for kind in _KINDS}
        self._names = _names(self._told)
        for sources, as_told, own in self._told.each("phases"):
            if {"kind", "task", "attempt", "id"} <= as_told.keys():
                self._take(sources, as_told, own)

    def _take(self, sources: tuple[str, ...], as_told: Arrays, own: Arrays) -> None:
        known = ~(np.ma.getmaskarray(own["task"]) | np.ma.getmaskarray(as_told["attempt"]))
        for row in np.flatnonzero(known & np.isin(as_told["kind"].astype(str), _KINDS)).tolist():
            attempt = int(as_told["attempt"][row])
            execution = Execution(int(own["task"][row]), attempt, int(own["id"][row]))
            said = {str(as_told["task"][row]), self._names.get(execution.task, "")}
            for key in [(source, word, attempt) for source in sources for word in said if word]:
                self._by_kind[str(as_told["kind"][row])].setdefault(key, []).append(execution)


def _names(told: ToldRows) -> dict[int, str]:
    """Return the names of told tasks."""
    tables = [own for _, _, own in told.each("tasks") if {"id", "name"} <= own.keys()]
    pairs = [pair for own in tables for pair in zip(own["id"].tolist(), own["name"].tolist(), strict=True)]
    return {number: name for number, name in pairs if name}


def _key(task: str) -> _Key | None:
    """Return what a command says of its task; a name may have colons, too.

    Examples:
        >>> _key("Snakemake:8:1"), _key("Snakemake:work s=a:b:2"), _key("of its own")
        (('Snakemake', '8', 1), ('Snakemake', 'work s=a:b', 2), None)
    """
    source, _, rest = task.partition(":")
    named, _, attempt = rest.rpartition(":")
    known = attempt.isascii() and attempt.isdigit() and len(attempt) < 10
    return (source, named, int(attempt)) if source and named and known else None
