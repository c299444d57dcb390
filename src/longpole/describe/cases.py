"""Case files: a workflow's tasks with what each needs, the machine they run on, and what was measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from longpole.describe.dots import dots, main_dot, target
from longpole.describe.table import Table
from longpole.describe.task_kinds import task_kinds
from longpole.describe.toml_file import read_toml
from longpole.describe.volumes import origin_of
from longpole.errors import UsageError
from longpole.model.case import Case, Dot, Origin
from longpole.model.machine import Machine

_KEYS = ("name", "machine", "parallel", "could", "unit", "task", "about", "source", "main")
_SECTIONS = ("tasks", "target", "measured", "projected")
_WORDS = "a job as the workflow's author cut it"


def read_case(path: Path, machine_of: Callable[[str], Machine], machine: Machine | None = None) -> Case:
    """Return the case that a file describes.

    Args:
        path: The file.
        machine_of: Finds a machine by its name, or by the path of its file.
        machine: Takes the place of the machine that the file names; the case is then a projection.

    Raises:
        UsageError: The file cannot be read, says something that cannot be, or does not fit the machine.
    """
    file = read_toml(path)
    file.only(*_KEYS, *_SECTIONS)
    case = _case(file, machine or _named_machine(file, path, machine_of), projected=machine is not None)
    _check_parallel(file, case)
    return case


def is_path(name: str) -> bool:
    """Say whether a name means a file, rather than a description that we know by name."""
    return name.endswith(".toml") or "/" in name


def _named_machine(file: Table, path: Path, machine_of: Callable[[str], Machine]) -> Machine:
    name = file.text("machine")
    try:
        return machine_of(str(path.parent / Path(name).expanduser()) if is_path(name) else name)
    except UsageError as error:
        raise file.wrong("machine", str(error)) from error


def _case(file: Table, machine: Machine, *, projected: bool) -> Case:
    kinds = task_kinds(file, machine, origin_of(file, Origin.DECLARED))
    found = dots(file, [kind.name for kind in kinds])
    unit = file.text("unit", "task")
    return Case(
        name=file.text("name"),
        machine=machine,
        kinds=kinds,
        parallel=file.whole("parallel"),
        could=file.whole_or_none("could"),
        unit=unit,
        task=file.text("task", _WORDS),
        target=target(file, unit),
        dots=found,
        about=file.text("about", ""),
        projected=projected,
        main=main_dot(file, found),
    )


def _check_parallel(file: Table, case: Case) -> None:
    _check_room(file, "parallel", case.parallel, case)
    _check_count(file, "parallel", case.parallel, case.tasks)
    if case.could is not None:
        _check_count(file, "could", case.could, case.tasks)
        if case.could < case.parallel:
            raise file.wrong("could", f"This is {case.could}, below 'parallel', which is {case.parallel}.")
    tables = (*file.tables("measured"), *file.tables("projected"))
    for table, dot in zip(tables, case.dots, strict=True):
        _check_dot(table, dot, case)


def _check_dot(table: Table, dot: Dot, case: Case) -> None:
    parallel = dot.parallel or case.parallel
    if dot.parallel is not None:
        _check_room(table, "parallel", parallel, case)
    if dot.tasks is not None and dot.tasks > case.tasks:
        raise table.wrong("tasks", f"This is {dot.tasks}, above the number of tasks in all, {case.tasks}.")
    key = "tasks" if dot.parallel is None else "parallel"
    _check_count(table, key, parallel, dot.tasks or case.tasks)


def _check_room(table: Table, key: str, parallel: int, case: Case) -> None:
    largest = case.main_kind
    wall = case.machine.fitting(largest.nodes)
    if parallel > wall:
        raise table.wrong(
            key,
            f"{parallel} tasks at once do not fit: '{case.machine.name}' holds {wall} ({case.machine.nodes} "
            f"nodes, and '{largest.name}' takes {largest.nodes:g}).",
        )


def _check_count(table: Table, key: str, parallel: int, tasks: int) -> None:
    if parallel > tasks:
        raise table.wrong(key, f"This is {parallel}, above the number of tasks in all, which is {tasks}.")
