"""Which runs may be gone on with: only one's own, since their logs say what is executed and where.

All else that reads runs takes them for data, whoever has made them.
"""

from __future__ import annotations

import os
from pathlib import Path

from longpole.errors import UsageError
from longpole.run.scratch import is_run_id
from longpole.store.manifest import MANIFEST
from longpole.store.selection import RunEntry

_UNKNOWN = -1


def check_own(entry: RunEntry, folder: Path) -> None:
    """Refuse a run that may be a stranger's.

    Raises:
        UsageError: Another user owns it, or it does not lie in the folder of runs, or is not called like one.
    """
    path = entry.path.resolve()
    if path.parent != folder.resolve():
        raise UsageError(
            f"{entry.path} does not lie in {folder}: only runs there are gone on with. "
            "If it is yours, choose its folder with --runs."
        )
    if not is_run_id(path.name.rpartition("-")[2]):
        raise UsageError(f"{path} has been renamed: a run that goes on has a folder that ends in its id.")
    if not {path.stat().st_uid, entry.manifest.user} <= {os.getuid(), _UNKNOWN}:
        raise UsageError(
            f"{path} is a run of another user, and can only be looked at. Run the workflow itself instead."
        )


def check_workflow(path: Path, workflow: str) -> None:
    """Refuse a workflow that came with a run.

    Raises:
        UsageError: It lies in this run's folder, or in that of another.
    """
    lies, run = Path(workflow).resolve(), path.resolve()
    if any(each == run or os.path.lexists(each / MANIFEST) for each in (lies, *lies.parents)):
        raise UsageError(
            f"The workflow {workflow} lies within the folder of a run: what came with a run is not executed. "
            "Copy it to another place, and run it there."
        )
