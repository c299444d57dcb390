"""Modules of workflows for tests: those of one folder, though others have modules of the same names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

WORKFLOWS = Path(__file__).parents[2] / "workflows"


class Modules:
    """The modules of one folder, imported when they are first asked for: ``Modules("galaxy/bin").model``."""

    def __init__(self, folder: str) -> None:
        self._folder = WORKFLOWS / folder
        self._loaded: dict[str, ModuleType] = {}

    def __getattr__(self, name: str) -> ModuleType:
        if name.startswith("_") or not (self._folder / f"{name}.py").is_file():
            raise AttributeError(f"{self._folder} has no module {name}")
        with self.found():
            return importlib.import_module(name)

    @contextmanager
    def found(self) -> Iterator[None]:
        """Let the modules of this folder, and of no other, be found by their names: by processes, too."""
        names = [path.stem for path in self._folder.glob("*.py")]
        others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
        sys.modules.update(self._loaded)
        sys.path.insert(0, str(self._folder))
        try:
            yield
        finally:
            sys.path.remove(str(self._folder))
            self._loaded.update({name: sys.modules.pop(name) for name in names if name in sys.modules})
            sys.modules.update(others)
