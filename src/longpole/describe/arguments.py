"""Arguments of a function as parameters: what a user chooses, against annotations and defaults."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

from longpole.describe.complaints import choices, short
from longpole.describe.parameters import chosen_value, unknown_parameter
from longpole.describe.scalars import text_of
from longpole.model.workflow import WorkflowError

_SAMPLES: dict[object, object] = {str: "", int: 0, float: 0.0, bool: False, list: [], tuple: []}


def arguments_of(function: Callable[..., Any], chosen: Mapping[str, str]) -> dict[str, object]:
    """Return what to call a function with: what was chosen, and its defaults.

    Raises:
        WorkflowError: There is no such argument, one is missing, or is of another type.
    """
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = {
        name: each for name, each in inspect.signature(function).parameters.items() if each.kind in kinds
    }
    hints = _hints(function)
    for name in chosen:
        if name not in known:
            raise unknown_parameter(name, known)
    values: dict[str, object] = {}
    for name, each in known.items():
        if name in chosen:
            values[name] = _value(name, chosen[name], hints.get(name), each.default)
        elif each.default is each.empty:
            raise WorkflowError(f"The parameter '{name}' has no value; give it one with --set {name}=VALUE.")
        else:
            values[name] = each.default
    return values


def _value(name: str, text: str, hint: object, default: object) -> object:
    hint = _without_none(hint)
    if typing.get_origin(hint) is Literal:
        return _one_of(name, text, typing.get_args(hint))
    sample = _SAMPLES.get(
        typing.get_origin(hint) or hint, None if default is inspect.Parameter.empty else default
    )
    value = chosen_value(name, text, sample)
    if isinstance(value, list):
        value = [float(each) if isinstance(each, float) else each for each in value]
        return tuple(value) if isinstance(default, tuple) or typing.get_origin(hint) is tuple else value
    return float(value) if isinstance(value, float) or isinstance(sample, float) else value  # type: ignore[arg-type]


def _one_of(name: str, text: str, allowed: tuple[object, ...]) -> object:
    for each in allowed:
        if text_of(each) == text:
            return each
    raise WorkflowError(
        f"--set {name}: '{short(text)}' cannot be chosen; {choices(text, map(text_of, allowed))}"
    )


def _without_none(hint: object) -> object:
    """Return the one type of an annotation such as ``int | None``."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        rest = [each for each in typing.get_args(hint) if each is not type(None)]
        return rest[0] if len(rest) == 1 else None
    return hint


def _hints(function: Callable[..., Any]) -> dict[str, object]:
    try:
        return dict(typing.get_type_hints(function))
    except (NameError, TypeError, AttributeError, SyntaxError):
        return {}
