"""A run that several commands make together: found by its name, and made by whoever comes first.

Beside the runs lies a folder of names; a name there is a link to the folder of its run. A link is made whole
or not at all, on shared file systems too, so that of a thousand who come at once one makes the run.
"""

from __future__ import annotations

import os
import time

from longpole.record.rundir import create_run_folder, plain_name, working_folder

NAMES_FOLDER = ".into"
# How many times a run that others remove at the same time is made again.
_TRIES = 5


class TakenNameError(Exception):
    """The run of this name is somebody else's."""


def join_run(runs_folder: str, name: str, *, new: bool = False) -> str:
    """Return the folder of the run of this name, made now if there is none, or if a new one is asked for.

    Raises:
        OSError: There is no room or no permission.
        TakenNameError: The run is another user's, who lets nobody else in.
    """
    link = os.path.join(runs_folder, NAMES_FOLDER, plain_name(name))
    if new:
        _replace(link, _create(runs_folder, name))
    for _ in range(_TRIES):
        path = _followed(link)
        if path:
            return path
        made = _create(runs_folder, name)
        try:
            os.symlink(os.path.join("..", os.path.basename(made)), link)
        except FileExistsError:
            _remove(made)
            _forget_removed(link)
        else:
            return made
    raise OSError(f"the run '{name}' is being removed while it is joined")


def last_activity_s(run_path: str) -> float:
    """Return how many seconds ago something was last written into a run; 0 where that is not known."""
    try:
        with os.scandir(os.path.join(run_path, "log")) as entries:
            newest = max((entry.stat().st_mtime for entry in entries), default=0.0)
    except OSError:
        return 0.0
    return max(0.0, time.time() - newest) if newest else 0.0


def _followed(link: str) -> str:
    """Return the run a name stands for, or nothing."""
    try:
        path = os.path.normpath(os.path.join(os.path.dirname(link), os.readlink(link)))
        owner = os.stat(path).st_uid
    except OSError:
        return ""
    if not os.access(os.path.join(path, "log"), os.W_OK | os.X_OK):
        raise TakenNameError(f"it is a run of the user with number {owner}")
    return path


def _create(runs_folder: str, name: str) -> str:
    """Make a run's folder with its manifest, so that it is whole before others can find it."""
    from longpole.record.manifest import joint_facts, save

    os.makedirs(os.path.join(runs_folder, NAMES_FOLDER), exist_ok=True)
    path = create_run_folder(runs_folder, name)
    save(path, joint_facts(path.rpartition("-")[2], name, working_folder()))
    return path


def _replace(link: str, path: str) -> None:
    """Let a name stand for another run from now on."""
    fresh = f"{link}.{os.path.basename(path)}"
    os.symlink(os.path.join("..", os.path.basename(path)), fresh)
    os.replace(fresh, link)


def _remove(path: str) -> None:
    from shutil import rmtree

    rmtree(path, ignore_errors=True)


def _forget_removed(link: str) -> None:
    """Take a name away whose run has been removed."""
    try:
        if not os.path.exists(link):
            os.unlink(link)
    except OSError:
        pass  # somebody else has
