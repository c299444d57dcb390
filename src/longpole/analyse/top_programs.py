"""Programs that a command started as its tasks: of all processes, those that a person would call so.

Method: the children of the first process. One that is a fork of its parent (the same command line) or a
worker of ``multiprocessing`` is none: what it started counts as if its parent had. Kinds of program that took
less than a hundredth of the time and CPU time of all are left out. If one program is left, and the process
above it did little itself, its children are looked at instead: so a shell that starts ``xargs`` is seen
through. If the first process did most of the work itself, as a training script that asks ``git`` for
a version, there are no such tasks. All that lies below a task belongs to it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from longpole.analyse.labels import process_called
from longpole.analyse.values import number, whole, word
from longpole.model.columns import Columns

_WORKERS = (
    *("multiprocessing.spawn", "multiprocessing.forkserver", "multiprocessing.resource_tracker"),
    *("--multiprocessing-fork", "joblib.externals.loky", "multiprocessing.semaphore_tracker"),
)
_SHELLS = ("sh -c", "bash -c", "dash -c", "zsh -c")
# Kinds that took less of all programs' time and CPU time are no tasks.
_LITTLE = 0.01
# A first process that computed for so much of the run did the work itself.
_MOST = 0.5


@dataclass(slots=True)
class Program:
    """A process: ``own_s`` is its CPU time, ``tree_s`` with all below it.

    An interpreter that told of its start is no fork: ``start_up_s`` is how long that took.
    """

    id: int
    parent: int
    name: str
    command: str
    start_ns: int
    end_ns: int
    own_s: float
    start_up_s: float | None = None
    tree_s: float = 0.0
    kind: str = ""

    @property
    def took_s(self) -> float:
        """How long it lived."""
        return max(0, self.end_ns - self.start_ns) / 1e9


class Programs:
    """The processes of a run, as a tree."""

    def __init__(self, processes: Columns, span: tuple[int, int]) -> None:
        """Take the processes, within the run."""
        self.all = {one.id: one for one in (_program(row, span) for row in processes.records())}
        self.children: dict[int, list[Program]] = defaultdict(list)
        self.roots = [one for one in self.all.values() if one.parent not in self.all or one.parent == one.id]
        for one in self.all.values():
            if one.parent in self.all and one.parent != one.id:
                self.children[one.parent].append(one)
        for one in self._from_below():
            one.tree_s = one.own_s + sum(child.tree_s for child in self.children[one.id])

    def tasks(self, run_s: float) -> list[Program]:
        """Return the programs that are tasks, by their begin; none if there are fewer than two."""
        if len(self.roots) != 1:
            return []
        top, passed = self.roots[0], 0.0
        while True:
            started, workers_s = self._started_by(top)
            passed += top.own_s + workers_s
            self._name(started)
            found = _of_weight(started)
            if passed > _MOST * run_s and passed > sum(one.tree_s for one in found):
                return []
            if len(found) != 1:
                return sorted(found, key=lambda one: (one.start_ns, one.id))
            top = found[0]

    def below(self, top: Program) -> list[Program]:
        """Return a program and all that it started, at any depth."""
        found, waiting = [], [top]
        while waiting:
            one = waiting.pop()
            found.append(one)
            waiting += self.children[one.id]
        return found

    def _started_by(self, top: Program) -> tuple[list[Program], float]:
        """Return what a process started, by itself or through workers, and the CPU time of these workers."""
        found, workers_s, waiting = [], 0.0, [(one, top) for one in self.children[top.id]]
        while waiting:
            one, parent = waiting.pop()
            if _is_worker(one, parent):
                workers_s += one.own_s
                waiting += [(child, one) for child in self.children[one.id]]
            else:
                found.append(one)
        return found, workers_s

    def _name(self, found: list[Program]) -> None:
        """Say of which kind each is.

        A shell that runs one program is of the kind of that. One that was too short for its command line to
        be seen is as others of its name.
        """
        for one in found:
            one.kind = process_called(one.name, one.command)
            children = self.children[one.id]
            if len(children) == 1 and one.kind in _SHELLS and children[0].command:
                one.kind = process_called(children[0].name, children[0].command)
        for one in found:
            if not one.command:
                alike = {other.kind for other in found if other.command and other.name == one.name}
                one.kind = alike.pop() if len(alike) == 1 else one.kind

    def _from_below(self) -> list[Program]:
        found, waiting = [], list(self.roots)
        while waiting:
            one = waiting.pop()
            found.append(one)
            waiting += self.children[one.id]
        return found[::-1]


def _is_worker(one: Program, parent: Program) -> bool:
    alike = one.name == parent.name and one.command in ("", parent.command)
    return (alike and one.start_up_s is None) or any(name in one.command for name in _WORKERS)


def _of_weight(found: list[Program]) -> list[Program]:
    """Return programs without kinds that took next to nothing."""
    took: dict[str, float] = defaultdict(float)
    used: dict[str, float] = defaultdict(float)
    for one in found:
        took[one.kind] += one.took_s
        used[one.kind] += one.tree_s
    least_s, least_used = _LITTLE * sum(took.values()), _LITTLE * sum(used.values())
    heavy = {kind for kind in took if took[kind] > least_s or used[kind] > least_used}
    return [one for one in found if one.kind in heavy]


def _program(row: dict[str, int | float | str | None], span: tuple[int, int]) -> Program:
    start = max(whole(row["start_ns"]) or span[0], span[0])
    end, start_up = whole(row["end_ns"]), number(row["start_up_ns"])
    return Program(
        id=whole(row["id"]) or 0,
        parent=whole(row["parent"]) or 0,
        name=word(row["name"]) or "?",
        command=word(row["command"]),
        start_ns=start,
        end_ns=max(start, min(span[1] if end is None else end, span[1])),
        own_s=(number(row["cpu_ns"]) or 0.0) / 1e9,
        start_up_s=None if start_up is None else start_up / 1e9,
    )
