"""Parameters of a workflow: what its author gives them, and what a user chooses instead."""

from __future__ import annotations

from collections.abc import Mapping

from longpole.describe.complaints import choices, shape_of, short
from longpole.describe.entry import Entry
from longpole.describe.scalars import text_of
from longpole.describe.substitution import Parameters, Plain
from longpole.describe.yaml_file import yaml_value
from longpole.model.patterns import PLACE_NAME
from longpole.model.workflow import WorkflowError


def chosen_parameters(entry: Entry, chosen: Mapping[str, str]) -> Parameters:
    """Return the parameters of an entry, where the user's choices come before the author's.

    Raises:
        WorkflowError: There is no such parameter, it has no value, or one of another kind than the author's.
    """
    for name in chosen:
        if name not in entry:
            raise unknown_parameter(name, entry.values)
    values: dict[str, Plain | tuple[Plain, ...]] = {}
    for name, default in entry.values.items():
        if not PLACE_NAME.fullmatch(str(name)):
            raise entry.wrong(short(str(name)), "A parameter's name has letters, digits and _ only.")
        value = chosen_value(name, chosen[name], default) if name in chosen else default
        if value is None:
            raise entry.wrong(name, f"This parameter has no value; give it one with --set {name}=VALUE.")
        values[name] = _plain(value, entry, name)
    return Parameters(values)


def unknown_parameter(name: str, known: Mapping[str, object]) -> WorkflowError:
    """Return the complaint about a parameter that there is not."""
    return WorkflowError(f"--set {short(name)}: There is no such parameter; {choices(name, known)}")


def chosen_value(name: str, text: str, default: object) -> object:
    """Return what a user's text means for a parameter that has a value of its author's already.

    Raises:
        WorkflowError: It is of another kind.
    """
    value = yaml_value(text, f"--set {short(name)}")
    if isinstance(default, str):
        return text if isinstance(value, bool | int | float | None) else value
    if isinstance(default, list | tuple) and not isinstance(value, list):
        raise WorkflowError(f"--set {name}: This must be a list: write --set '{name}=[{short(text)}]'.")
    for kind, what in ((bool, "true or false"), (int, "a whole number"), (float, "a number")):
        if isinstance(default, kind):
            return _of_kind(name, value, kind, what)
    return value


def _of_kind(name: str, value: object, kind: type[int | float], what: str) -> object:
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (isinstance(value, bool) and kind is not bool):
        raise WorkflowError(f"--set {name}: This must be {what}, not {shape_of(value)}.")
    return value


def _plain(value: object, entry: Entry, name: str) -> Plain | tuple[Plain, ...]:
    if isinstance(value, list | tuple):
        return tuple(_single(each, entry, name) for each in value)
    return _single(value, entry, name)


def _single(value: object, entry: Entry, name: str) -> Plain:
    if not isinstance(value, str | int | float):
        what = f"A parameter is a text, a number, true or false, or a list of such, not {shape_of(value)}."
        raise entry.wrong(name, what)
    if "\0" in text_of(value):
        raise entry.wrong(name, "This text has a NUL in it.")
    return value
