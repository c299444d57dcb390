"""Python files that describe a workflow: a function ``workflow``, or a variable."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from longpole.describe.arguments import arguments_of
from longpole.describe.builder import Workflow as Builder
from longpole.describe.complaints import shape_of, short
from longpole.describe.parameters import unknown_parameter
from longpole.describe.text_file import read_text
from longpole.model.text import visible
from longpole.model.workflow import Workflow, WorkflowError

_NAME = "workflow"
_LARGEST_BYTES = 50_000_000
_loaded: set[str] = set()


def python_workflow(path: Path, chosen: Mapping[str, str]) -> Workflow:
    """Return the workflow that a file describes. This executes the file.

    Raises:
        WorkflowError: The file cannot be executed, or describes none.
    """
    folder = str(path.parent.absolute())
    sys.path.insert(0, folder)
    try:
        return _described(path, _module(path), chosen)
    finally:
        sys.path.remove(folder)


def _described(path: Path, module: ModuleType, chosen: Mapping[str, str]) -> Workflow:
    made, values = getattr(module, _NAME, None), dict[str, object]()
    if inspect.isfunction(made):
        function, values = made, arguments_of(made, chosen)
        made = _safely(path, lambda: function(**values))
    elif chosen:
        raise unknown_parameter(next(iter(chosen)), {})
    if isinstance(made, Workflow):
        return made
    if not isinstance(made, Builder):
        raise WorkflowError(
            f"{visible(str(path))}: '{_NAME}' must be a workflow, or a function that returns one, not "
            f"{shape_of(made)}. Write 'def workflow(): ...' with longpole.Workflow."
        )
    made.parameters_unless_given({name: value for name, value in values.items() if _is_plain(value)})
    return made.build()


def _module(path: Path) -> ModuleType:
    """Return the module of a file, executed anew, with what it imports from its folder."""
    _forget()
    _loaded.add(str(path.parent.absolute()))
    read_text(path, _LARGEST_BYTES, WorkflowError)
    name = path.stem
    if name in sys.modules:
        raise WorkflowError(f"{visible(str(path))}: There is another module '{name}'; rename this file.")
    spec = importlib.util.spec_from_file_location(name, path.absolute())
    if spec is None or spec.loader is None:
        raise WorkflowError(f"Cannot read {visible(str(path))}: it is not a Python file.")
    module, loader = importlib.util.module_from_spec(spec), spec.loader
    sys.modules[name] = module
    _safely(path, lambda: loader.exec_module(module))
    return module


def _forget() -> None:
    """Forget modules of folders that were loaded before: other folders may have others of these names."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and os.path.dirname(file) in _loaded:
            del sys.modules[name]


def _safely(path: Path, work: Callable[[], Any]) -> Any:  # noqa: ANN401  whatever a user's code returns
    try:
        return work()
    except WorkflowError:
        raise
    except (Exception, SystemExit) as error:
        raise WorkflowError(_told(path, error)) from error


def _told(path: Path, error: BaseException) -> str:
    """Return where in the user's own files an error came from, and what it says."""
    what = visible(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__).rstrip(".")
    if isinstance(error, SyntaxError) and error.filename:
        return f"{visible(error.filename)}:{error.lineno}: {visible(f'SyntaxError: {error.msg}')}."
    folder = str(path.parent.absolute())
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    where = f"{visible(own[-1].filename)}:{own[-1].lineno}" if own else visible(str(path))
    return f"{where}: {short(what) if len(what) > 500 else what}. Set LONGPOLE_DEBUG=1 to see more."


def _is_plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(each, str | int | float) for each in value)
    return isinstance(value, str | int | float)
