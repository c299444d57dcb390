"""A whole description, whoever wrote it: from keys and values to a workflow that has been checked."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import TypedDict, TypeVar

from longpole.describe.checks.whole import check_workflow
from longpole.describe.complaints import shape_of
from longpole.describe.entry import Entry
from longpole.describe.external_files import external_file
from longpole.describe.parameters import chosen_parameters
from longpole.describe.problems import Problems
from longpole.describe.sets import named_set
from longpole.describe.substitution import Parameters
from longpole.describe.tasks import defaults, template
from longpole.describe.uses import names_of_files
from longpole.model.workflow import NamedSet, Place, Template, Workflow, WorkflowError

VERSION = 1
KEYS = (
    "longpole", "name", "parameters", "sets", "tasks", "files", "if_missing", "results", "image",
    "environment", "resources", "retry",
)  # fmt: skip
Read = TypeVar("Read")


class _Parts(TypedDict):
    sets: dict[str, NamedSet]
    templates: dict[str, Template]
    files: dict[str, Place]


def described(values: Mapping[str, object], file: str, folder: str, chosen: Mapping[str, str]) -> Workflow:
    """Return the workflow that a description tells, checked.

    Args:
        values: The description, with or without lines.
        file: What complaints call the file; empty if there is none.
        folder: Where the files of the workflow lie, absolute.
        chosen: Values of parameters, as a user writes them.

    Raises:
        WorkflowError: It cannot be; several sentences, each on its line, if there are several problems.
    """
    whole = Entry(values, Parameters(), file)
    _check_version(whole)
    whole.only(*KEYS)
    whole = dataclasses.replace(whole, parameters=chosen_parameters(whole.entry("parameters"), chosen))
    workflow = Workflow(
        name=whole.text("name") or _name_of(file, folder),
        folder=folder,
        file=file,
        parameters=whole.parameters.texts,
        results=names_of_files(whole, "results"),
        results_line=whole.line_of("results"),
        if_missing=whole.text("if_missing"),
        **_parts(whole, folder),
    )
    check_workflow(workflow)
    return workflow


def _parts(whole: Entry, folder: str) -> _Parts:
    """Return sets, templates and files; what is wrong with any of them is told at once."""
    problems, default = Problems(), defaults(whole)
    sets, tasks, files = whole.entry("sets"), whole.entry("tasks"), whole.entry("files")
    parts = _Parts(
        sets=_each(sets, lambda name: named_set(name, sets.entry(name)), problems),
        templates=_each(tasks, lambda name: template(name, tasks.entry(name), default, folder), problems),
        files=dict(_each(files, lambda name: external_file(files, name), problems).values()),
    )
    problems.complain()
    return parts


def _each(part: Entry, read: Callable[[str], Read], problems: Problems) -> dict[str, Read]:
    found = {}
    for name in part.values:
        try:
            found[name] = read(name)
        except WorkflowError as error:
            problems.add(error)
    return found


def _check_version(whole: Entry) -> None:
    version = whole.values.get("longpole")
    if version is None:
        raise whole.wrong("", f"The key 'longpole' is missing; begin the file with 'longpole: {VERSION}'.")
    if version != VERSION or isinstance(version, bool):
        raise whole.wrong("longpole", f"This Longpole reads version {VERSION}, not {shape_of(version)}.")


def _name_of(file: str, folder: str) -> str:
    stem = os.path.splitext(os.path.basename(file))[0]
    return os.path.basename(folder) if stem in ("", "workflow") else stem
