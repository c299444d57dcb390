"""Inputs and outputs of a task: lists of names, or maps that give names to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from longpole.describe.complaints import choices, shape_of, short
from longpole.describe.entry import Entry
from longpole.describe.file_names import file_pattern
from longpole.describe.lined import line_in
from longpole.model.patterns import PLACE_NAME
from longpole.model.workflow import Uses, WorkflowError

_OPTIONAL = "optional"


def uses(task: Entry, key: str) -> tuple[Uses, ...]:
    """Return what a task uses or makes: a text, a list or a map, each value a text or a list of texts.

    Raises:
        WorkflowError: It is none of these, or a name is none.
    """
    value = task.value(key)
    if value is None:
        return ()
    if isinstance(value, Mapping) and set(value) != {_OPTIONAL}:
        return tuple(_named(task, key, name, value) for name in value)
    return tuple(_unnamed(task, key, value if isinstance(value, list | tuple) else [value]))


def names_of_files(task: Entry, key: str) -> tuple[str, ...]:
    """Return names or patterns of files, of a list or a single one."""
    if key not in task.values:
        return ()
    value = task.value(key)
    return tuple(
        _pattern(task, key, text, line_in(value, place)) for place, text in enumerate(task.texts(key))
    )


def _named(task: Entry, key: str, name: str, values: Mapping[str, object]) -> Uses:
    line = line_in(values, name) or task.line_of(key)
    if not PLACE_NAME.fullmatch(str(name)):
        what = f"'{short(str(name))}' is no name that a command could use: it has letters, digits and _ only."
        raise task.wrong(key, what, line)
    inner = Entry({name: values[name]}, task.parameters, task.file, f"{task.key}.{key}", line)
    value = inner.value(name)
    optional = isinstance(value, Mapping)
    if isinstance(value, Mapping):
        value = _told_optional(task, key, value, line)
    patterns = tuple(_patterns(inner, name, value))
    if not patterns:
        raise inner.wrong(name, "This names no file; leave it out, or give a name.")
    return Uses(name, patterns, optional, line)


def _unnamed(task: Entry, key: str, values: Sequence[object]) -> Iterator[Uses]:
    """Return one for each row of names that are alike: lists can be long."""
    row: list[str] = []
    for place, value in enumerate(values):
        line = line_in(values, place) or task.line_of(key)
        if not isinstance(value, Mapping):
            row.append(_pattern(task, key, value, line))
            continue
        if row:
            yield Uses("", tuple(row), line=task.line_of(key))
        row = []
        told = _told_optional(task, key, value, line)
        yield Uses("", tuple(_patterns(task, key, told)), optional=True, line=line)
    if row:
        yield Uses("", tuple(row), line=task.line_of(key))


def _told_optional(task: Entry, key: str, value: Mapping[str, object], line: int) -> object:
    for name in value:
        if name != _OPTIONAL:
            quotes = (
                f' If a place is meant, put the text in quotes: "{{{short(name)}}}".'
                if value[name] is None
                else ""
            )
            what = f"There is no key '{short(name)}' here; {choices(name, [_OPTIONAL])}{quotes}"
            raise task.wrong(key, what, line)
    if key != "outputs":
        raise task.wrong(
            key, "Only an output can be optional. What need not be there yet goes under 'checkpoints'.", line
        )
    return value.get(_OPTIONAL)


def _patterns(entry: Entry, key: str, value: object) -> Iterator[str]:
    each = value if isinstance(value, list | tuple) else [value]
    for place, text in enumerate(each):
        yield _pattern(entry, key, text, line_in(value, place))


def _pattern(entry: Entry, key: str, text: object, line: int) -> str:
    if not isinstance(text, str):
        hint = ' Put texts with braces in quotes: "{tile}.png".' if isinstance(text, Mapping) else ""
        raise entry.wrong(key, f"A name of a file must be a text, not {shape_of(text)}.{hint}", line)
    try:
        return file_pattern(text, entry.parameters)
    except WorkflowError as error:
        raise entry.wrong(key, str(error), line) from error
