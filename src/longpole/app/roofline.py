"""Rooflines of runs and of cases: finds what is meant, joins it with a machine, and asks what was asked.

A name is a case if it ends in .toml or is one of ours, else a run. Several runs are repeats of one workflow:
the first gives the tasks and what they need, each gives a dot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from longpole.analyse.case_timeline import case_timeline
from longpole.analyse.projections import ALL_NODE, ALL_SYSTEM, with_faster, with_intra_task
from longpole.analyse.roofline import roofline, with_question
from longpole.analyse.task_view import label_of
from longpole.app.explaining import explain_run
from longpole.app.roofline_run import case_of_run
from longpole.app.run_machine import case_here
from longpole.describe.cases import read_case
from longpole.describe.library import case_path, machine_named, shipped_cases
from longpole.errors import UsageError
from longpole.model.case import Case, Dot, Target
from longpole.model.roofline import Roofline
from longpole.model.timeline import Timeline
from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run, runs_folder


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a roofline.

    Attributes:
        machine: The name or file of another machine; empty: the one of the case, or that ran it.
        target: What has to be reached; replaces what a case says.
        intra_task: How many times the nodes for each task.
        faster: Resources, each with how many times as fast it is.
    """

    machine: str = ""
    target: Target = field(default_factory=Target)
    intra_task: float | None = None
    faster: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """A roofline, the case it was computed from, and the run that this is of, if it is of one."""

    case: Case
    roofline: Roofline
    run: Path | None = None

    def timeline(self) -> Timeline:
        """Return the run over time; of a case, how it may run."""
        if self.run is None:
            return case_timeline(self.case, self.main)
        with open_run(self.run) as stored:
            return explain_run(stored).timeline()

    @property
    def main(self) -> Dot | None:
        """The dot that sentences are about."""
        return next((dot for dot in self.case.dots if dot.name == self.roofline.main), None)


def see(names: Sequence[str], asked: Asked, runs: str = "") -> Seen:
    """Return the roofline of a case, or of a run and its repeats.

    Raises:
        LongpoleError: Something is not there, cannot be read, or is asked of what it does not have.
    """
    run = None if case_path(names[0]) else find_run(names[0], runs_folder(runs))
    case = _case(names, asked.machine, runs)
    target = Target(
        asked.target.makespan_s or case.target.makespan_s, asked.target.throughput or case.target.throughput
    )
    case = replace(case, target=target)
    found = roofline(case)
    for change, what in _changes(asked):
        case = change(case)
        found = with_question(found, roofline(case), what)
    return Seen(case, found, run)


def shipped() -> list[tuple[str, str]]:
    """Return the cases that come with us: name, and what each is called."""
    return [(name, read_case(path, machine_named).name) for name, path in shipped_cases().items()]


def _case(names: Sequence[str], machine: str, runs: str) -> Case:
    path = case_path(names[0])
    if path is None:
        return _of_runs(names, machine, runs)
    if len(names) > 1:
        raise UsageError(f"'{names[0]}' is a case: give it alone. Only repeats of a run are taken together.")
    return read_case(path, machine_named, machine_named(machine) if machine else None)


def _of_runs(names: Sequence[str], machine: str, runs: str) -> Case:
    """Return the case of the first run, with a dot for each."""
    first, *others = (_of_run(name, machine, runs) for name in names)
    dots = [dot for case in (first, *others) for dot in case.dots]
    return replace(first, dots=tuple(_told_apart(dots)))


def _of_run(name: str, machine: str, runs: str) -> Case:
    with open_run(find_run(name, runs_folder(runs))) as stored:
        case = case_on(stored, machine)
        stored.check_whole()
    return case


def case_on(stored: StoredRun, machine: str = "") -> Case:
    """Return a run as a case on a machine, by name or file; on the one that ran it without."""
    if machine:
        return case_of_run(stored, machine_named(machine), projected=True)
    return case_here(stored)


def _told_apart(dots: Sequence[Dot]) -> list[Dot]:
    """Return dots with names of their own: repeats of one run have the same."""
    if len({dot.name for dot in dots}) == len(dots):
        return list(dots)
    return [replace(dot, name=f"{dot.name} ({at})") for at, dot in enumerate(dots, start=1)]


def _changes(asked: Asked) -> list[tuple[Callable[[Case], Case], str]]:
    """Return the changes that are asked about, and what to call them."""
    changes: list[tuple[Callable[[Case], Case], str]] = [
        (partial(with_faster, resource=name, factor=factor), f"{_named(name)} {factor:g} times as fast")
        for name, factor in asked.faster
    ]
    if asked.intra_task is not None:
        wider = partial(with_intra_task, factor=asked.intra_task)
        changes.append((wider, f"{asked.intra_task:g} times the nodes for each task, at perfect scaling,"))
    return changes


def _named(resource: str) -> str:
    return f"A {resource}" if resource in (ALL_NODE, ALL_SYSTEM) else label_of(resource).capitalize()
