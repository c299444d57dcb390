"""Repeats of a workflow as one case: the first run gives the tasks and what they need, each gives a dot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from longpole.app.roofline_run import case_of_run
from longpole.app.run_machine import case_here
from longpole.describe.library import machine_named
from longpole.model.case import Case, Dot
from longpole.model.manifest import State
from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run, runs_folder

_MOST_NAMES = 4


def case_of_runs(names: Sequence[str], machine: str = "", runs: str = "") -> Case:
    """Return the case of the first run, with a dot for each, and a word where they are of other workflows.

    Args:
        names: Which runs.
        machine: The name or file of another machine; '' for the one that ran the first.
        runs: The folder of runs; '' for the usual one.

    Raises:
        LongpoleError: A run or a machine is not there, or cannot be read.
    """
    cases = [_of_run(name, machine, runs) for name in names]
    first, dots = cases[0], [dot for case in cases for dot in case.dots]
    said = _differences(dict(zip(names, cases, strict=True)))
    return replace(first, dots=tuple(_told_apart(dots)), unknown=(*first.unknown, *said))


def case_on(stored: StoredRun, machine: str = "") -> Case:
    """Return a whole run as a case on a machine, by name or file; on the one that ran it without.

    Raises:
        DamagedRunError: Some of the run cannot be read.
        UsageError: There is no such machine, or its file is wrong.
    """
    if machine:
        case = _elsewhere(case_of_run(stored, machine_named(machine), projected=True))
    else:
        case = case_here(stored)
    stored.check_whole()
    return replace(case, recorded=True, unknown=(*_how_it_ended(stored), *case.unknown))


def _elsewhere(case: Case) -> Case:
    """Return a case whose dots say that they were measured on another machine."""
    source = "measured on the machine that ran it"
    return replace(case, dots=tuple(replace(dot, projected=True, source=source) for dot in case.dots))


def _how_it_ended(stored: StoredRun) -> list[str]:
    """Return that a run did not end well, if so: its tasks may not be all of the workflow's."""
    code = stored.manifest.exit_code
    if stored.state is not State.FINISHED:
        return [f"The run is {stored.state.value}: not all of its tasks may be here."]
    return [f"The command failed with exit code {code}: not all of its tasks may be here."] if code else []


def _of_run(name: str, machine: str, runs: str) -> Case:
    with open_run(find_run(name, runs_folder(runs))) as stored:
        return case_on(stored, machine)


def _told_apart(dots: Sequence[Dot]) -> list[Dot]:
    """Return dots with names of their own: repeats of one run have the same."""
    if len({dot.name for dot in dots}) == len(dots):
        return list(dots)
    return [replace(dot, name=f"{dot.name} ({at})") for at, dot in enumerate(dots, start=1)]


def _differences(cases: Mapping[str, Case]) -> list[str]:
    """Return a sentence if some runs cannot be repeats of the first: the first such run is named."""
    (name, first), *others = cases.items()
    found = [said for other, case in others if (said := _difference(other, case, name, first))]
    if not found:
        return []
    more = {0: "", 1: ", and 1 other run differs, too"}.get(
        len(found) - 1, f", and {len(found) - 1} other runs differ, too"
    )
    return [f"{found[0]}{more}: ceilings are those of {name}, and hold for repeats of it only."]


def _difference(other: str, case: Case, name: str, first: Case) -> str:
    if case.tasks != first.tasks:
        return f"{other} has {case.tasks:,} task{'s' * (case.tasks > 1)}, {name} {first.tasks:,}"
    odd = sorted({kind.name for kind in case.kinds} ^ {kind.name for kind in first.kinds})
    listed = ", ".join([*odd[:_MOST_NAMES], *(["..."] if len(odd) > _MOST_NAMES else [])])
    return f"{other} has other kinds of task than {name} ({listed})" if odd else ""
