"""Plain values as JSON text, without loading ``json``: that would double the agent's start-up."""

from __future__ import annotations

from _json import encode_basestring_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def json_text(value: Any) -> str:
    """Return a value of dicts, lists, texts, numbers, booleans and None as JSON.

    Examples:
        >>> json_text({"a": [1, 2.5, None, True], "b": "x"})
        '{"a":[1,2.5,null,true],"b":"x"}'
    """
    if isinstance(value, str):
        return encode_basestring_ascii(value if value.isascii() else _readable(value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{json_text(str(key))}:{json_text(inner)}" for key, inner in value.items()) + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(json_text, value)) + "]"
    if isinstance(value, float) and value - value != 0:
        return "null"
    return repr(value)


def short_json(value: Any, most: int = 2600) -> str:
    """Return a value as JSON of at most so many bytes: its texts are cut as far as that takes.

    Examples:
        >>> len(short_json({"a": "x" * 9000, "b": {"c": "\u65e5" * 9000}})) <= 2600
        True
    """
    for longest in (2000, 1000, 400, 150, 60, 20):
        text = json_text(_cut(value, longest))
        if len(text) <= most:
            return text
    return "{}"


def _cut(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value[:longest]
    return {key: _cut(inner, longest) for key, inner in value.items()} if isinstance(value, dict) else value


def _readable(text: str) -> str:
    """Return a text in which bytes that were no UTF-8, as arguments and paths may hold, are spelt out."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
