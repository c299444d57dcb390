"""Arguments of calls: whose results are among them, and what a function is called with in the end.

Results and texts with places may stand within lists, tuples and maps, at any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from longpole.model.command_line import Value, plain_text
from longpole.model.workflow import Call, Result, Template


def comes_after(template: Template) -> tuple[str, ...]:
    """Return the templates that come before one without handing files over: named so, or by results."""
    named = (*template.after, *(results_in(template.call) if template.call else ()))
    return tuple(dict.fromkeys(named)) if named else ()


def results_in(call: Call) -> tuple[str, ...]:
    """Return the templates whose results a call is given, each once, in the order of the arguments.

    Examples:
        >>> results_in(Call(sum, ([Result("a"), Result("b")],), {"start": Result("a")}))
        ('a', 'b')
    """
    return tuple(dict.fromkeys(_results([*call.arguments, *call.keywords.values()])))


def texts_in(call: Call) -> tuple[str, ...]:
    """Return all texts among the arguments of a call; they may have places.

    Examples:
        >>> texts_in(Call(sum, (["{a}", 3],), {"start": "{b.list}"}))
        ('{a}', '{b.list}')
    """
    return tuple(
        each for each in _within([*call.arguments, *call.keywords.values()]) if isinstance(each, str)
    )


def arguments_for(
    call: Call, result: Callable[[str], Any], values: Mapping[str, Value]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments and keywords that a function is called with.

    A text that is one place alone becomes what stands for it, a list if that is several; within a longer
    text, the text of it.

    Args:
        call: The call.
        result: Gives the result of a template.
        values: What names of files, members and parameters stand for.

    Examples:
        >>> arguments_for(Call(max, ("{png}", 3), {"key": Result("a")}), len, {"png": "tiles/a.png"})
        (('tiles/a.png', 3), {'key': 1})
    """

    def ready(argument: Any) -> Any:  # noqa: ANN401  a user's function takes anything
        if isinstance(argument, str):
            return _text(argument, values)
        if isinstance(argument, Result):
            return result(argument.template)
        if type(argument) is dict:
            return {key: ready(value) for key, value in argument.items()}
        if type(argument) in (list, tuple):
            return type(argument)(map(ready, argument))
        return argument

    return tuple(map(ready, call.arguments)), {name: ready(each) for name, each in call.keywords.items()}


def _text(text: str, values: Mapping[str, Value]) -> Any:  # noqa: ANN401  a text, or a list of them
    alone = values.get(text[1:-1]) if text[:1] == "{" and text[-1:] == "}" else None
    if alone is None:
        return plain_text(text, values)
    return alone if isinstance(alone, str) else list(alone)


def _results(arguments: object) -> Iterator[str]:
    return (each.template for each in _within(arguments) if isinstance(each, Result))


def _within(arguments: object) -> Iterator[object]:
    """Yield all values within lists, tuples and maps, in their order."""
    waiting = [arguments]
    while waiting:
        each = waiting.pop()
        if type(each) in (list, tuple):
            waiting += reversed(each)  # type: ignore[call-overload]
        elif type(each) is dict:
            waiting += reversed(each.values())
        else:
            yield each
