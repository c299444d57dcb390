"""Attributes of a phase as JSON text, whatever the user hands over."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONGEST_TEXT = 500


def as_json(values: dict[str, Any]) -> str:
    """Return the values as one JSON object; never raises."""
    import json

    try:
        return json.dumps({str(key): _plain(value) for key, value in values.items()})
    except Exception:  # noqa: BLE001  a value with hostile methods must not reach the user's code
        return "{}"


def _plain(value: Any) -> object:
    """Return a value as JSON can carry it.

    Anything unusual goes by the name of its type and never by its repr, which may be long or, for a value
    on a GPU, wait for the device.
    """
    if isinstance(value, str):
        return value[:_LONGEST_TEXT]
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        return _plain(value.item())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return f"<{type(value).__name__}>"
