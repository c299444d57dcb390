"""Hooks that other packages bring: entry points of the group ``longpole.hooks``.

Method: the files ``entry_points.txt`` of the packages on ``sys.path`` are read as text. ``importlib.metadata``
would do the same at twenty times the cost, in the user's program.
"""

from __future__ import annotations

import os
import sys

GROUP = "[longpole.hooks]"


def find_hooks() -> dict[str, str]:
    """Return the hook, as ``module:function``, for each module that another package has a hook for."""
    hooks: dict[str, str] = {}
    for folder in sys.path:
        for path in _entry_point_files(folder):
            for module, hook in _read(path).items():
                hooks.setdefault(module, hook)
    return hooks


def _entry_point_files(folder: str) -> list[str]:
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    kept = [name for name in names if name.endswith((".dist-info", ".egg-info"))]
    return [os.path.join(folder, name, "entry_points.txt") for name in sorted(kept)]


def _read(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 20)
    except OSError:
        return {}
    return parse(text) if GROUP in text else {}


def parse(text: str) -> dict[str, str]:
    """Return the entries of our group.

    Examples:
        >>> parse("[console_scripts]\\nx = y:z\\n[longpole.hooks]\\nxgboost = longpole_xgboost:watch\\n")
        {'xgboost': 'longpole_xgboost:watch'}
    """
    hooks, inside = {}, False
    for line in text.splitlines():
        entry = line.partition("#")[0].strip()
        if entry.startswith("["):
            inside = entry.replace(" ", "") == GROUP
        elif inside and "=" in entry:
            module, _, target = entry.partition("=")
            hooks[module.strip()] = target.partition("[")[0].strip()
    return hooks
