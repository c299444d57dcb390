"""Loading a workflow: a YAML file, a Python file, or a folder that holds one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from longpole.describe.python_file import python_workflow
from longpole.describe.workflows import described
from longpole.describe.yaml_file import read_yaml
from longpole.model.text import visible
from longpole.model.workflow import Workflow, WorkflowError

_NAMES = ("workflow.py", "workflow.yaml", "workflow.yml")


def load_workflow(path: str | Path, chosen: Mapping[str, str] | None = None) -> Workflow:
    """Return the workflow that a file or folder describes, checked.

    A Python file is executed. Whether inputs are there and resources suffice is not checked: planning needs
    neither; ``checks.inputs`` and ``checks.room`` do that.

    Args:
        path: A YAML file, a Python file, or a folder with ``workflow.py`` or ``workflow.yaml`` in it.
        chosen: Values of parameters by name, as a user writes them: ``{"parts": "[aa, ab]"}``.

    Raises:
        WorkflowError: It cannot be read, or describes no workflow that can be.
    """
    found = _file(Path(path))
    if found.suffix == ".py":
        return python_workflow(found, chosen or {})
    return described(read_yaml(found), visible(str(found)), str(found.parent.absolute()), chosen or {})


def _file(path: Path) -> Path:
    try:
        if not path.is_dir():
            return path
        there = [path / name for name in _NAMES if (path / name).exists()]
    except (OSError, ValueError) as error:
        raise WorkflowError(f"Cannot read {visible(str(path))}: {error}.") from error
    if not there:
        raise WorkflowError(
            f"{visible(str(path))} holds no workflow: there is no {' and no '.join(_NAMES[:2])}."
        )
    if len(there) > 1:
        names = " and ".join(each.name for each in there)
        raise WorkflowError(f"{visible(str(path))} holds {names}; say which of them you mean.")
    return there[0]
