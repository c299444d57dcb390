"""Hooks that other packages bring: entry points of the group ``longpole.hooks``.

Method: the files ``entry_points.txt`` of the packages on ``sys.path`` are read as text; what
``importlib.metadata`` would do is the same at twenty times the cost, in the user's program. This file is
loaded by itself there, and imports nothing more.
"""

import os
import sys

GROUP = "[longpole.hooks]"
_MOST_BYTES = 1 << 20


def find_hooks() -> "list[tuple[str, str]]":
    """Return modules that other packages have hooks for, each with the hook as ``module:function``."""
    hooks: dict[tuple[str, str], None] = {}
    for folder in sys.path:
        for path in _entry_point_files(folder):
            hooks.update(dict.fromkeys(parse(_read(path)).items()))
    return list(hooks)


def _entry_point_files(folder: str) -> "list[str]":
    try:
        names = os.listdir(folder or ".")
    except (OSError, TypeError, ValueError):
        return []  # an archive, nothing at all, or what is no path
    kept = [name for name in names if name.endswith((".dist-info", ".egg-info"))]
    return [os.path.join(folder, name, "entry_points.txt") for name in sorted(kept)]


def _read(path: str) -> str:
    """Return the text of a file if it speaks of our group: most do not, and many are not there."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        text = os.read(file, _MOST_BYTES)
    except OSError:
        return ""
    finally:
        os.close(file)
    return text.decode("utf-8", "replace") if GROUP.encode() in text else ""


def parse(text: str) -> "dict[str, str]":
    r"""Return the entries of our group.

    Examples:
        >>> parse("[console_scripts]\nx = y:z\n[longpole.hooks]\nxgboost = longpole_xgboost:watch\n")
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
