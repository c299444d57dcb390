"""Where machines and cases are found by name: the user's own folders first, then what we ship.

What we ship lies in ``shipped/`` of an installed package, and in ``machines/`` and ``cases/`` at the top of a
source tree.
"""

from __future__ import annotations

import os
from pathlib import Path

from longpole.describe.cases import is_path
from longpole.describe.complaints import choices
from longpole.describe.machines import read_machine
from longpole.errors import UsageError
from longpole.model.machine import Machine
from longpole.model.text import visible

_PACKAGE = Path(__file__).resolve().parents[1]
_ENDING = ".toml"


def machine_named(name: str) -> Machine:
    """Return a machine by the path of its file, or by its name in the user's folders or among ours.

    Raises:
        UsageError: There is none, or its file is wrong.
    """
    if is_path(name):
        return read_machine(Path(name).expanduser())
    known = known_machines()
    if name not in known:
        raise UsageError(f"There is no machine '{visible(name)}'; {choices(name, known)}")
    return read_machine(known[name])


def known_machines() -> dict[str, Path]:
    """Return the files of all machines by name: a user's own hides one of ours that has the same name."""
    folders = [_shipped("machines"), _configured_folder(), *_chosen_folder()]
    return _sorted({name: path for folder in folders for name, path in _files(folder).items()})


def user_machines_folder() -> Path:
    """Return where a user's own machines are kept: ``$LONGPOLE_MACHINES``, else with other configuration."""
    return next(iter(_chosen_folder()), _configured_folder())


def case_path(name: str) -> Path | None:
    """Return the file of a case, given its path or the name of one of ours; None for anything else.

    A path that ends in ``.toml`` is taken at its word: reading it says what is wrong with it.
    """
    path = Path(name).expanduser()
    if name.endswith(_ENDING) or (is_path(name) and path.is_file()):
        return path
    return shipped_cases().get(name)


def shipped_cases() -> dict[str, Path]:
    """Return the files of our cases by name."""
    return _sorted(_files(_shipped("cases")))


def _chosen_folder() -> list[Path]:
    chosen = os.environ.get("LONGPOLE_MACHINES")
    return [Path(chosen).expanduser()] if chosen else []


def _configured_folder() -> Path:
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    # A relative one counts as none, by the specification of these folders.
    base = configured if os.path.isabs(configured) else os.path.expanduser("~/.config")
    return Path(base) / "longpole" / "machines"


def _shipped(kind: str) -> Path:
    installed = _PACKAGE / "shipped" / kind
    return installed if installed.is_dir() else _PACKAGE.parents[1] / kind


def _files(folder: Path) -> dict[str, Path]:
    try:
        return {path.stem: path for path in folder.iterdir() if path.suffix == _ENDING}
    except OSError:
        return {}


def _sorted(files: dict[str, Path]) -> dict[str, Path]:
    return dict(sorted(files.items()))
