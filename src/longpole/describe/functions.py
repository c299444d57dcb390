"""Functions that are known by name: imported where they are called, and not where a workflow is described.

What is known by name can be sent to any process, whatever has been imported there.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longpole.model.workflow import WorkflowError


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function of a module in a workflow's folder; calling it imports the module.

    Attributes:
        folder: The folder that the module is looked for in first.
        module: The module's name, as ``import`` has it.
        name: The function's name in it.
    """

    folder: str
    module: str
    name: str

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401  a user's function takes anything
        """Call the function.

        Raises:
            WorkflowError: There is no such module or function.
        """
        return _function(self)(*arguments, **keywords)

    def __str__(self) -> str:
        """Return it as a YAML file has it."""
        return f"{self.module}:{self.name}"


def named(function: Callable[..., object], folder: str) -> Callable[..., object]:
    """Return a function by name if it is one of a module in the folder, as it is if not.

    Raises:
        WorkflowError: Nobody else could find it: it has no name, or is within another function.
    """
    name, module = getattr(function, "__qualname__", ""), sys.modules.get(getattr(function, "__module__", ""))
    if "<" in name:
        raise WorkflowError(
            f"'{name.rsplit('.', 1)[-1]}' is a lambda or within another function, where worker processes "
            "cannot find it. Write it with 'def' at the top of a module."
        )
    file = getattr(module, "__file__", None)
    there: object = getattr(module, name, None)
    if module is None or not file or there is not function:
        return function
    path = Path(file).with_suffix("")
    if Path(folder) not in path.parents:
        return function
    parts = path.relative_to(folder).parts
    dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return NamedFunction(folder, dotted, name) if module.__name__ in (dotted, "__main__") else function


@cache
def _function(wanted: NamedFunction) -> Callable[..., Any]:
    if wanted.folder not in sys.path:
        sys.path.insert(0, wanted.folder)
        importlib.invalidate_caches()
    try:
        found: Any = importlib.import_module(wanted.module)
        for part in wanted.name.split("."):
            found = getattr(found, part)
    except (ModuleNotFoundError, AttributeError) as error:
        raise WorkflowError(f"Cannot find the function '{wanted}' in {wanted.folder}: {error}.") from error
    if not callable(found):
        raise WorkflowError(f"'{wanted}' in {wanted.folder} is not a function.")
    return found  # type: ignore[no-any-return]
