"""Which tasks run as one job: by label, horizontally, or all of them.

Tasks are assigned as they become known. A label may have places of the sets that its task is fanned out over,
``{image}``: then each member has a cluster of its own. A cluster of a label takes in later tasks too; those
of a horizontal one are known together. Clusters that would wait for each other are refused: before the run by
templates, for labels without places, and by tasks for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice
from typing import NamedTuple

from longpole.model.patterns import fill, places
from longpole.model.plan import Clustering, Grouping, Placement
from longpole.model.workflow import Task, Workflow, WorkflowError
from longpole.plan.expansion import Expansion
from longpole.plan.templates import in_order
from longpole.units import Bytes

WHOLE = "whole"

SizeOf = Callable[[str], Bytes | None]


class Group(NamedTuple):
    """Tasks for one job; the label is empty where it has one task and no other will join it."""

    label: str
    tasks: tuple[int, ...]


class Clusters:
    """Puts tasks together as they become known."""

    def __init__(self, clustering: Clustering, expansion: Expansion, size_of: SizeOf | None = None) -> None:
        """Take how it is done, and the size of a file by its name, where sizes matter.

        Raises:
            WorkflowError: Clusters would wait for each other.
        """
        self._clustering, self._expansion = clustering, expansion
        self._size_of = size_of or (lambda _: None)
        self._labels: dict[int, str] = {}
        if clustering.how is Grouping.LABEL:
            _check_templates(expansion)

    def assign(self, new: range) -> list[Group]:
        """Return the groups that new tasks belong to; a label that was there before takes more of them.

        Raises:
            WorkflowError: Clusters would wait for each other.
        """
        if self._clustering.how is Grouping.WHOLE:
            return [Group(WHOLE, tuple(new))] if new else []
        if self._clustering.how is Grouping.HORIZONTAL:
            return list(self._horizontal(new))
        if self._clustering.how is Grouping.LABEL:
            return self._by_label(new)
        return [Group("", (number,)) for number in new]

    def label_of(self, template: str) -> str:
        """Return the cluster that all tasks of a template belong to; empty if it is not one for all."""
        if self._clustering.how is Grouping.WHOLE:
            return WHOLE
        label = self._expansion.workflow.templates[template].cluster
        return label if self._clustering.how is Grouping.LABEL and not places(label) else ""

    def _by_label(self, new: range) -> list[Group]:
        groups: dict[str, list[int]] = {}
        found: list[Group] = []
        for number in new:
            label = _label(self._expansion.tasks[number])
            if label:
                groups.setdefault(label, []).append(number)
                self._labels[number] = label
            else:
                found.append(Group("", (number,)))
        if any(places(each.cluster) for each in self._expansion.workflow.templates.values()):
            self._check_tasks()
        return [*(Group(label, tuple(numbers)) for label, numbers in groups.items()), *found]

    def _horizontal(self, new: range) -> Iterator[Group]:
        """Yield groups of one template and level: tasks that follow each other are never together."""
        tasks, depth_of = self._expansion.tasks, self._expansion.depth_of
        for name, same in groupby(new, key=lambda number: tasks[number].template.name):
            at = 0
            for _, level in groupby(sorted(same, key=depth_of), key=depth_of):
                for numbers in self._cut(list(level)):
                    at += 1
                    yield Group(f"{name} {at}" if len(numbers) > 1 else "", tuple(numbers))

    def _cut(self, numbers: list[int]) -> Iterable[list[int]]:
        """Return the tasks of one template in pieces, each for a job."""
        if self._clustering.size_bytes is not None:
            return self._cut_by_size(numbers, self._clustering.size_bytes)
        if self._clustering.jobs is not None:
            jobs = min(self._clustering.jobs, len(numbers))
            return [
                numbers[at * len(numbers) // jobs : (at + 1) * len(numbers) // jobs] for at in range(jobs)
            ]
        return _pieces(numbers, self._clustering.tasks or 1)

    def _cut_by_size(self, numbers: list[int], most: Bytes) -> Iterator[list[int]]:
        """Yield pieces of at most so many bytes; a task whose size is not known is alone."""
        piece: list[int] = []
        filled = 0
        for number in numbers:
            size = self._size(number)
            if piece and (size is None or filled + size > most):
                yield piece
                piece, filled = [], 0
            piece.append(number)
            filled += most if size is None else size
        if piece:
            yield piece

    def _size(self, number: int) -> Bytes | None:
        total = 0
        for names in self._expansion.tasks[number].inputs:
            for name in names:
                size = self._size_of(name)
                if size is None:
                    return None
                total += size
        return total

    def _check_tasks(self) -> None:
        before: dict[str, set[str]] = {}
        for number in range(len(self._expansion.tasks)):
            waiting = before.setdefault(self._unit(number), set())
            waiting.update(self._unit(other) for other in self._expansion.dependencies(number))
        _check({unit: waited - {unit} for unit, waited in before.items()})

    def _unit(self, number: int) -> str:
        label = self._labels.get(number)
        return f"cluster {label}" if label else f"task {self._expansion.tasks[number].name}"


def clustering_for(placement: Placement, workflow: Workflow) -> Clustering:
    """Return how tasks are put together where nothing is said: by label if there is one, else all."""
    if placement is not Placement.CLUSTERING:
        return Clustering()
    labelled = any(template.cluster for template in workflow.templates.values())
    return Clustering(Grouping.LABEL if labelled else Grouping.WHOLE)


def _label(task: Task) -> str:
    label = task.template.cluster
    return fill(label, task.members) if "{" in label else label


def _pieces(numbers: list[int], size: int) -> Iterator[list[int]]:
    every = iter(numbers)
    while piece := list(islice(every, size)):
        yield piece


def _check_templates(expansion: Expansion) -> None:
    """Refuse labels whose clusters would wait for each other, whatever tasks there will be."""
    units = {
        name: f"task {name}"
        if places(template.cluster) or not template.cluster
        else f"cluster {template.cluster}"
        for name, template in expansion.workflow.templates.items()
    }
    before: dict[str, set[str]] = {}
    for name, unit in units.items():
        before.setdefault(unit, set()).update(units[earlier] for earlier in expansion.before[name])
    _check({unit: waited - {unit} for unit, waited in before.items()})


def _check(before: Mapping[str, set[str]]) -> None:
    try:
        in_order(before)
    except WorkflowError as error:
        raise WorkflowError(
            f"Clusters would wait for each other. {error} Give what stands between them the same label."
        ) from error
