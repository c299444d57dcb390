"""Tasks and files of a workflow as its drivers told them: rows of tasks, files, opens and edges.

A task has run if an attempt of it was told of; one of a group, if a phase of it was, or the whole group is
committed. An edge leads from the task that makes a file to each that uses it; where one hands more than a few
files to another, one edge stands for all of them. A task that only waits for another depends on what that
returned, if it returned something, else on its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from longpole.store.derive.arrays import Arrays, Objects, Whole, hidden, integers, stacked, texts
from longpole.store.derive.attempts import COMMITTED, Attempts
from longpole.store.derive.drivers import Drivers
from longpole.store.derive.workflow_notes import Files, Group, Outcomes, Planned, Sizes

_Pairs = NDArray[np.uint64]
# More files than this between two tasks make one edge.
_FEW_FILES = 16
_RESOURCES = ("cores", "memory_bytes", "gpus", "nodes", "ranks")
_OUTCOMES = ("cached", "skipped", "never")
_LOW = np.uint64(0xFFFFFFFF)


class WorkflowRows:
    """All tasks, groups and files; what was told again replaces what was told before.

    Attributes:
        planned: Tasks by their numbers.
        groups: Labels of jobs of several tasks by their numbers.
        held: What these hold while they are open, by the same numbers.
    """

    def __init__(self, drivers: Drivers, attempts: Attempts) -> None:
        """Take what drivers told."""
        self._ends = [end for _, end in attempts.ends.values() if end.status == COMMITTED]
        self.planned: dict[int, Planned] = {}
        self.groups: dict[int, str] = {}
        self.held: dict[int, dict[str, int]] = {}
        self._outcomes: dict[int, str] = {}
        self._names: dict[int, str] = {}
        self._sizes: dict[int, int] = {}
        for notes in drivers.notes():
            self.planned.update({note.id: note for note in notes.of(Planned) if note.id})
            for group in notes.of(Group):
                self.groups[group.id] = group.label
                self.held[group.id] = {"cores": group.cores, "gpus": group.gpus} if group.cores else {}
            self._outcomes.update({task: note.outcome for note in notes.of(Outcomes) for task in note.tasks})
            for files in notes.of(Files):
                self._take_files(files)
            pairs = (pair for sizes in notes.of(Sizes) for pair in sizes.files)
            self._sizes.update({number: size for number, size in pairs if size >= 0})
        self.tasks = np.array(sorted(self.planned), np.int64)

    @property
    def types(self) -> Objects:
        """The type of each task."""
        return texts([self.planned[number].type for number in self.tasks.tolist()])

    def tables(self, seen: set[int]) -> dict[str, Arrays]:
        """Return the rows by table; ``seen`` are jobs that were tried, and tasks of their phases."""
        made, used = self._made(), _pairs((one.id, one.inputs) for one in self.planned.values())
        sizes, checksums = self._written()
        return {
            "tasks": self._tasks(seen),
            "files": self._files(sizes, checksums),
            "opens": _opens(made, used),
            "edges": self._edges(made, used, sizes),
        }

    def _take_files(self, files: Files) -> None:
        self._names.update(enumerate(files.names, files.first))
        known = zip(range(files.first, files.first + len(files.names)), files.sizes, strict=False)
        self._sizes.update({number: size for number, size in known if size >= 0})

    def _made(self) -> _Pairs:
        """Return tasks and the files they make; some are known only when they have been made."""
        alone = [end for end in self._ends if end.job in self.planned and end.job not in self.groups]
        found = [(end.job, [number for number, _, _ in end.outputs]) for end in alone]
        return _pairs(chain(((one.id, one.outputs) for one in self.planned.values()), found))

    def _written(self) -> tuple[dict[int, int], dict[int, str]]:
        """Return sizes and checksums of files, as they were last committed."""
        outputs = [output for end in self._ends for output in end.outputs]
        sizes = self._sizes | {number: size for number, size, _ in outputs if size >= 0}
        return sizes, {number: checksum for number, _, checksum in outputs if checksum}

    def _tasks(self, seen: set[int]) -> Arrays:
        every = [self.planned[number] for number in self.tasks.tolist()]
        needs = {resources: _needs(resources) for resources in {one.resources for one in every}}
        whole = {end.job for end in self._ends if end.job in self.groups}
        return {
            "id": self.tasks,
            "name": texts([one.name for one in every]),
            "type": self.types,
            "resources": texts([needs[one.resources] for one in every]),
            "outcome": texts(
                ["ran" if one.id in seen or one.job in whole else self._outcome(one) for one in every]
            ),
        }

    def _outcome(self, task: Planned) -> str:
        told = self._outcomes.get(task.id, "never")
        return told if told in _OUTCOMES else "never"

    def _files(self, sizes: dict[int, int], checksums: dict[int, str]) -> Arrays:
        numbers = sorted(self._names)
        return {
            "id": np.array(numbers, np.int64),
            "name": texts([self._names[number] for number in numbers]),
            "bytes": integers([sizes.get(number) for number in numbers]),
            "checksum": texts([checksums.get(number) for number in numbers]),
        }

    def _edges(self, made: _Pairs, used: _Pairs, sizes: dict[int, int]) -> Arrays:
        """Return who depends on whom."""
        data = _handed_over(made, used, sizes)
        after = _pairs((one.id, one.after) for one in self.planned.values())
        to_task, from_task = _halves(after)
        between = _joined(from_task, to_task)
        new = (from_task != to_task) & ~np.isin(between, _joined(data["from_task"], data["to_task"]))
        from_task, to_task = from_task[new], to_task[new]
        returned = np.array([end.job for end in self._ends if end.value], np.int64)
        unknown = hidden(np.zeros(len(to_task), np.int64), np.ones(len(to_task), np.bool_))
        control = {
            "kind": np.where(np.isin(from_task, returned), "data", "control").astype(object),
            "from_task": from_task,
            "to_task": to_task,
            "file": unknown,
            "bytes": unknown,
        }
        edges = stacked([data, control])
        return {"id": np.arange(1, len(edges["kind"]) + 1), **edges}


def _needs(resources: tuple[int, ...]) -> str:
    said = dict(zip(_RESOURCES, resources, strict=True))
    return json.dumps({name: value for name, value in said.items() if value >= 0})


def _pairs(found: Iterable[tuple[int, Iterable[int]]]) -> _Pairs:
    """Return pairs of a number and others that belong to it, each once, in order."""
    return np.unique(np.fromiter((one << 32 | other for one, some in found for other in some), np.uint64))


def _joined(first: Whole, second: Whole) -> _Pairs:
    return first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64)


def _halves(pairs: _Pairs) -> tuple[Whole, Whole]:
    return (pairs >> np.uint64(32)).astype(np.int64), (pairs & _LOW).astype(np.int64)


def _opens(made: _Pairs, used: _Pairs) -> Arrays:
    task, file = _halves(np.concatenate((used, made)))
    written = np.repeat([0, 1], [len(used), len(made)])
    return {"task": task, "file": file, "written": written}


def _handed_over(made: _Pairs, used: _Pairs, sizes: dict[int, int]) -> Arrays:
    """Return edges from makers of files to their users."""
    maker, files = _halves(made)
    files, first = np.unique(files, return_index=True)
    maker = maker[first]
    user, file = _halves(used)
    at = np.searchsorted(files, file)
    at[at == len(files)] = 0
    there = files[at] == file if len(files) else np.zeros(len(file), np.bool_)
    user, file, source = user[there], file[there], maker[at[there]]
    user, file, source = (values[source != user] for values in (user, file, source))
    size = np.array([sizes.get(number, -1) for number in file.tolist()], np.int64)
    pairs, pair, count = np.unique(_joined(source, user), return_inverse=True, return_counts=True)
    few = (count <= _FEW_FILES)[pair] if len(pair) else np.zeros(0, np.bool_)
    one_by_one = _data(source[few], user[few], size[few], file[few])
    known = np.maximum(size, 0)
    summed = np.bincount(pair, known.astype(np.float64), len(pairs)).astype(np.int64)
    summed[np.bincount(pair, size >= 0, len(pairs)) == 0] = -1
    many = count > _FEW_FILES
    sources, users = _halves(pairs[many])
    return stacked([one_by_one, _data(sources, users, summed[many], np.zeros(len(users), np.int64))])


def _data(source: Whole, user: Whole, size: Whole, file: Whole) -> Arrays:
    return {
        "kind": np.full(len(user), "data", object),
        "from_task": source,
        "to_task": user,
        "file": hidden(file, file == 0),
        "bytes": hidden(size, size < 0),
    }
