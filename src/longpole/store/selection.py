"""Where runs live, which there are, and which one a person means."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longpole.errors import DamagedRunError, RunNotFoundError, UsageError
from longpole.log.files import LOG_FOLDER
from longpole.model.manifest import Manifest, State
from longpole.store.life import state_of
from longpole.store.manifest import MANIFEST, read_manifest, substitute

LATEST = "latest"
RUNS_VARIABLE = "LONGPOLE_RUNS"
# A folder whose name begins so is being removed.
HIDDEN = "."


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run of a folder of runs; a broken one says so in ``problem`` and is listed all the same."""

    path: Path
    manifest: Manifest
    state: State
    problem: str = ""


def runs_folder(given: str = "") -> Path:
    """Return where runs live: as given, by variable, the nearest upward, or here."""
    chosen = given or os.environ.get(RUNS_VARIABLE, "")
    if chosen:
        return Path(chosen).expanduser().absolute()
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise UsageError("The current folder has been removed. Change to another, or give --runs.") from None
    for folder in (here, *here.parents):
        if (folder / ".longpole" / "runs").is_dir():
            return folder / ".longpole" / "runs"
    return here / ".longpole" / "runs"


def list_runs(folder: str | os.PathLike[str]) -> tuple[RunEntry, ...]:
    """Return the runs of a folder, the newest last. A folder that is not there has none.

    A run that was imported is as new as its import, whenever it ran.
    """
    try:
        with os.scandir(folder) as found:
            paths = [Path(entry.path) for entry in found if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UsageError(f"Cannot list the runs in {os.fspath(folder)}: {error.strerror}.") from error
    entries = [entry_of(path) for path in paths if not path.name.startswith(HIDDEN) and is_run(path)]
    return tuple(sorted(entries, key=lambda entry: (_came(entry), entry.path.name)))


def entry_of(path: Path) -> RunEntry:
    """Return one run as a list shows it; never fails."""
    try:
        manifest = read_manifest(path)
    except DamagedRunError as error:
        return RunEntry(path, substitute(path), State.BROKEN, str(error))
    return RunEntry(path, manifest, state_of(path, manifest))


def find_run(wanted: str, folder: str | os.PathLike[str]) -> Path:
    """Return the run meant by an id, the beginning of one or of a folder's name, a path, or ``latest``.

    A run that several commands made together goes by its name as well.

    Raises:
        RunNotFoundError: There is none, or more than one.
    """
    if wanted == LATEST or wanted.startswith(f"{LATEST}:"):
        return _latest(wanted, folder)
    if os.sep in wanted or wanted in (".", "..", "~"):
        path = Path(wanted).expanduser()
        if is_run(path):
            return path.absolute()
        if joint := _joint(wanted, list_runs(folder)):
            return joint[0].path
        raise RunNotFoundError(wanted, str(folder))
    return _by_beginning(wanted, folder)


def is_run(path: Path) -> bool:
    """Return whether a folder is a run, or was one: it has a manifest or a log."""
    return os.path.lexists(path / MANIFEST) or os.path.isdir(path / LOG_FOLDER)  # also if it is closed to us


def _latest(wanted: str, folder: str | os.PathLike[str]) -> Path:
    name = wanted.partition(":")[2]
    for entry in reversed(list_runs(folder)):
        if _owner(entry) == os.getuid() and (not name or entry.manifest.name == name):
            return entry.path
    raise RunNotFoundError(wanted, str(folder))


def _owner(entry: RunEntry) -> int:
    """Return who started a run; of one whose manifest is damaged, whose folder it is."""
    try:
        return entry.manifest.user if not entry.problem else entry.path.stat().st_uid
    except OSError:
        return -1


def _by_beginning(wanted: str, folder: str | os.PathLike[str]) -> Path:
    entries = list_runs(folder)
    exact = [entry for entry in entries if wanted in (entry.manifest.id, entry.path.name)]
    matching = exact or _joint(wanted, entries) or [e for e in entries if wanted and _begins(e, wanted)]
    if len(matching) == 1:
        return matching[0].path
    if not matching and is_run(Path(wanted)):
        return Path(wanted).absolute()
    raise RunNotFoundError(wanted, str(folder), tuple(entry.manifest.id for entry in matching))


def _joint(name: str, entries: Sequence[RunEntry]) -> list[RunEntry]:
    """Return the latest run that commands made together under this name."""
    fitting = [entry for entry in entries if entry.manifest.joint and entry.manifest.name == name]
    return sorted(fitting, key=lambda entry: _owner(entry) == os.getuid())[-1:]


def _came(entry: RunEntry) -> str:
    """Return when a run came into its folder."""
    return entry.manifest.made or entry.manifest.started or _stamp(entry)


def _begins(entry: RunEntry, wanted: str) -> bool:
    return entry.manifest.id.startswith(wanted) or entry.path.name.startswith(wanted)


def _stamp(entry: RunEntry) -> str:
    """Return when a run without a manifest was started, from its folder's name ``20260131T235959Z-...``."""
    digits = entry.path.name.partition("-")[0]
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:11]}:{digits[11:13]}:{digits[13:15]}.000Z"
