"""The run directory as the recorder makes it: a private folder, and node-local memory for its rings."""

from __future__ import annotations

import os
import time

from longpole.record.client.phases import RINGS_VARIABLE
from longpole.record.proc import read_stat

RUN_VARIABLE = "LONGPOLE_RUN"
RUNS_VARIABLE = "LONGPOLE_RUNS"
# The pid of the launcher that a command was started by.
LAUNCHER_VARIABLE = "LONGPOLE_LAUNCHER"

MEMORY_FOLDERS = ("/dev/shm", "/run/shm")
_LONGEST_NAME = 80


def find_runs_folder(given: str = "") -> str:
    """Return where runs live: as given, by variable, the nearest upward, or here."""
    chosen = given or os.environ.get(RUNS_VARIABLE, "")
    if chosen:
        return os.path.abspath(chosen)
    folder = os.getcwd()
    while True:
        candidate = os.path.join(folder, ".longpole", "runs")
        if os.path.isdir(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return os.path.join(os.getcwd(), ".longpole", "runs")
        folder = parent


def working_folder() -> str:
    """Return the folder we are in, or nothing if it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def is_inside_run() -> bool:
    """Return whether this process is part of a run that is being recorded on this node."""
    rings = os.environ.get(RINGS_VARIABLE, "")
    return bool(os.environ.get(RUN_VARIABLE) and rings and os.access(rings, os.W_OK))


def is_below_launcher() -> bool:
    """Return whether a launcher is among the ancestors of this process.

    What a batch system starts has the environment of a recorded command, but is no part of it.
    """
    launcher = os.environ.get(LAUNCHER_VARIABLE, "")
    pid = os.getppid()
    while pid > 1:
        if str(pid) == launcher:
            return True
        stat = read_stat(pid)
        pid = stat.parent if stat else 0
    return False


def create_run_folder(runs_folder: str, name: str) -> str:
    """Create a run's folder, private to this user; return its path, which ends in the run's id.

    Raises:
        OSError: There is no room or no permission.
    """
    _create_runs_folder(runs_folder)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = os.path.join(runs_folder, f"{stamp}-{plain_name(name)}-{os.urandom(4).hex()}")
    for folder in (path, os.path.join(path, "log")):
        os.mkdir(folder, 0o700)
        os.chmod(folder, 0o700)  # whatever the umask leaves of it
    return path


def boot_id() -> str:
    """Return what tells one boot of one machine from all others."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return ""


def create_rings_folder(run_path: str) -> str:
    """Return a private folder in node-local memory for this run's rings.

    Raises:
        OSError: No such memory is there, or it has no room.
    """
    failure = OSError("no /dev/shm on this machine")
    for folder in MEMORY_FOLDERS:
        path = os.path.join(folder, f"longpole-{run_path.rpartition('-')[2]}-{os.urandom(4).hex()}")
        try:
            os.mkdir(path, 0o700)
        except OSError as error:
            failure = error
        else:
            return path
    raise failure


def remove_rings_folder(path: str) -> None:
    """Give the memory of a run's rings back."""
    try:
        for name in os.listdir(path):
            remove_file(os.path.join(path, name))
        os.rmdir(path)
    except OSError:
        pass  # removed by someone else, or a process that outlives the run has just made a ring in it


def plain_name(name: str) -> str:
    """Return a name as part of a folder's name.

    Examples:
        >>> plain_name("train/v2 (final)")
        'train-v2-final'
    """
    kept = "".join(letter if letter.isalnum() or letter in "._" else "-" for letter in name)
    joined = "-".join(part for part in kept.split("-") if part).encode("utf-8", "replace")[:_LONGEST_NAME]
    return joined.decode("utf-8", "ignore").lstrip(".") or "run"


def remove_file(path: str) -> None:
    """Remove a file, if it is there."""
    try:
        os.unlink(path)
    except OSError:
        pass  # not there: that is what was wanted


def _create_runs_folder(path: str) -> None:
    """Make the folder of all runs; one that we make for a project is kept out of its git."""
    os.makedirs(path, exist_ok=True)
    parent = os.path.dirname(path)
    ignore = os.path.join(parent, ".gitignore")
    if os.path.basename(parent) == ".longpole" and not os.path.exists(ignore):
        with open(ignore, "w") as file:
            file.write("*\n")
