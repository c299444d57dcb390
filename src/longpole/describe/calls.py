"""Calls of a description: a Python function as a task, with its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from longpole.describe.complaints import shape_of, short
from longpole.describe.entry import Entry
from longpole.describe.functions import NamedFunction, named
from longpole.model.workflow import Call, Result, WorkflowError

_FUNCTION = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_RESULT = "result"


def call(task: Entry, folder: str) -> Call | None:
    """Return what a task calls, None if it calls nothing.

    Raises:
        WorkflowError: The function has no name that worker processes could find it by.
    """
    if task.values.get("function") is None:
        for key in ("arguments", "keywords"):
            if key in task:
                raise task.wrong(key, "Only a function takes these; give the function, or leave this out.")
        return None
    arguments = task.values.get("arguments")
    if not isinstance(arguments, list | tuple | None):
        raise task.wrong("arguments", f"This must be a list, not {shape_of(arguments)}.")
    keywords = task.entry("keywords")
    return Call(
        _function(task, folder),
        tuple(_argument(task, each) for each in arguments or ()),
        {str(name): _argument(task, each) for name, each in keywords.values.items()},
    )


def _function(task: Entry, folder: str) -> Callable[..., Any]:
    function = task.values["function"]
    try:
        if callable(function):
            return named(function, folder)
    except WorkflowError as error:
        raise task.wrong("function", str(error)) from error
    text = task.text("function")
    found = _FUNCTION.fullmatch(text)
    if not found:
        raise task.wrong("function", f"'{short(text)}' is no function; write it as module:name.")
    return NamedFunction(folder, found[1], found[2])


def _argument(task: Entry, value: Any) -> Any:  # noqa: ANN401  a user's function takes anything
    """Return an argument: plain lists, maps and numbers, whatever they were read as."""
    if isinstance(value, str):
        return task.parameters.whole(value)
    if isinstance(value, Mapping) and set(value) == {_RESULT} and isinstance(value[_RESULT], str):
        return Result(value[_RESULT])
    if isinstance(value, dict):
        return {key: _argument(task, each) for key, each in value.items()}
    if isinstance(value, list):
        return [_argument(task, each) for each in value]
    if type(value) is tuple:
        return tuple(_argument(task, each) for each in value)
    return float(value) if isinstance(value, float) else value
