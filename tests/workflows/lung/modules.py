"""The modules of the lung workflow, loaded by path: other workflows have modules of the same names."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[3] / "workflows" / "lung"
PROGRAMS = FOLDER / "bin"


@cache
def module(name: str) -> ModuleType:
    """Return a module of the workflow's folder, or of its programs; what it imports from there is shared."""
    sys.path[:0] = [str(FOLDER), str(PROGRAMS)]
    others = {key: sys.modules.pop(key) for key in _names() if key in sys.modules}
    sys.modules.update(_loaded)
    try:
        found = import_module(name)
        _loaded.update({key: sys.modules[key] for key in _names() if key in sys.modules})
        return found
    finally:
        del sys.path[:2]
        for key in _names():
            sys.modules.pop(key, None)
        sys.modules.update(others)


_loaded: dict[str, ModuleType] = {}


def _names() -> list[str]:
    return [path.stem for path in (*FOLDER.glob("*.py"), *PROGRAMS.glob("*.py"))]
