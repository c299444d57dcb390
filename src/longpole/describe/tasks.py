"""Tasks of a description: what runs, for which members, over which files, with what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from longpole.describe.calls import call
from longpole.describe.complaints import choices, shape_of, short
from longpole.describe.entry import Entry
from longpole.describe.needs import RESOURCES, resources, retry, timeout_s
from longpole.describe.scalars import text_of
from longpole.describe.uses import names_of_files, uses
from longpole.model.patterns import parse
from longpole.model.workflow import Resources, Retry, Template, WorkflowError

KEYS = (
    "for_each", "inputs", "outputs", "after", "run", "function", "arguments", "keywords", "code", "program",
    "checkpoints", "unfinished", "environment", "image", "cluster", "resources", "retry", "timeout",
)  # fmt: skip
_NAME = re.compile(r"\w[\w.-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ZIP = "zip"


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for all tasks that say nothing else."""

    image: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    resources: Resources = field(default_factory=Resources)
    retry: Retry = field(default_factory=Retry)


def defaults(whole: Entry) -> Defaults:
    """Return what the top of a description says for all tasks."""
    return Defaults(
        whole.text("image"), _environment(whole, {}), resources(whole, Resources()), retry(whole, Retry())
    )


def template(name: str, task: Entry, default: Defaults, folder: str) -> Template:
    """Return a task as it is described.

    Raises:
        WorkflowError: A key or value of it cannot be.
    """
    if not _NAME.fullmatch(name):
        raise task.wrong(
            "", f"'{short(name)}' is no name for a task: it has letters, digits, _, - and . only."
        )
    _check_keys(task)
    called = call(task, folder)
    if (called is None) == (not task.values.get("run")):
        what = "has both 'run' and 'function'; keep one" if called else "needs 'run' or 'function'"
        raise task.wrong("", f"The task '{name}' {what}.")
    return Template(
        name=name,
        command=_command(task) if called is None else "",
        call=called,
        for_each=tuple(_for_each(task)),
        inputs=uses(task, "inputs"),
        outputs=uses(task, "outputs"),
        after=_after(task),
        code=names_of_files(task, "code"),
        program="".join(names_of_files(task, "program")),
        checkpoints=names_of_files(task, "checkpoints"),
        unfinished=names_of_files(task, "unfinished"),
        environment=_environment(task, default.environment),
        image=task.text("image", default.image),
        cluster=_label(task),
        resources=resources(task, default.resources),
        retry=retry(task, default.retry),
        timeout_s=timeout_s(task),
        line=task.line,
    )


def _check_keys(task: Entry) -> None:
    for key in task.values:
        if key in RESOURCES:
            raise task.wrong(key, f"Write this under 'resources': {{{key}: ...}}.")
    task.only(*KEYS)
    if not isinstance(task.values.get("program"), str | None):
        raise task.wrong("program", f"This must be a text, not {shape_of(task.values['program'])}.")


def _command(task: Entry) -> str:
    """Return a command line as it was written: names in it are replaced when it runs."""
    command = task.values.get("run")
    if not isinstance(command, str):
        raise task.wrong("run", f"This must be a command line, not {shape_of(command)}.")
    if not command.strip() or "\0" in command:
        raise task.wrong("run", "This command line is empty or has a NUL in it.")
    return command


def _after(task: Entry) -> tuple[str, ...]:
    """Return the names of tasks that come before: one, or a list."""
    named = task.value("after")
    names = [] if named is None else named if isinstance(named, list | tuple) else [named]
    if not all(isinstance(name, str) for name in names):
        raise task.wrong("after", f"This must be names of tasks, not {shape_of(named)}.")
    return tuple(dict.fromkeys(names))


def _label(task: Entry) -> str:
    label = task.value("cluster")
    if not isinstance(label, str | None):
        raise task.wrong("cluster", f"This must be a text, not {shape_of(label)}.")
    try:
        pattern = task.parameters.in_pattern(label or "")
        parse(pattern)
    except WorkflowError as error:
        raise task.wrong("cluster", str(error)) from error
    return pattern


def _for_each(task: Entry) -> Iterator[tuple[str, ...]]:
    value = task.values.get("for_each")
    for each in value if isinstance(value, list | tuple) else [] if value is None else [value]:
        if isinstance(each, str):
            yield (each,)
        elif isinstance(each, Mapping) and set(each) == {_ZIP}:
            names = Entry(each, task.parameters, task.file, f"{task.key}.for_each", task.line_of("for_each"))
            yield names.texts(_ZIP)
        elif isinstance(each, Mapping) and len(each) == 1:
            key = str(next(iter(each)))
            raise task.wrong("for_each", f"There is no '{short(key)}' here; {choices(key, [_ZIP])}")
        else:
            what = f"This must be names of sets, or {{zip: [a, b]}}, not {shape_of(each)}."
            raise task.wrong("for_each", what)


def _environment(entry: Entry, default: Mapping[str, str]) -> Mapping[str, str]:
    if entry.values.get("environment") is None:
        return default
    told = entry.entry("environment")
    variables = dict(default)
    for name, value in told.values.items():
        if not _VARIABLE.fullmatch(str(name)):
            raise told.wrong(
                short(str(name)), "This is no name of a variable: it has letters, digits and _ only."
            )
        if not isinstance(value, str | int | float):
            raise told.wrong(name, f"This must be a text, not {shape_of(value)}.")
        variables[name] = text_of(value)
        if "\0" in variables[name]:
            raise told.wrong(name, "This text has a NUL in it.")
    return variables
