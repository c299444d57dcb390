"""The manifest of a run, ``run.json``, as the recorder writes it: first facts, and how it ended."""

from __future__ import annotations

import os
import time

from longpole._version import __version__
from longpole.record.assignment import NOT_KNOWN
from longpole.record.discretion import allowed_environment, mask_command
from longpole.record.json_text import json_text
from longpole.record.proc import read_stat
from longpole.record.rundir import boot_id, remove_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.assignment import Assignment, Ending

SCHEMA_VERSION = 1
MANIFEST = "run.json"


def first_facts(assignment: Assignment) -> dict[str, Any]:
    """Return what is known of a run when it begins, with nothing secret in it."""
    pid = assignment.launcher or assignment.root
    stat = read_stat(pid)
    launcher = {
        "host": os.uname().nodename,
        "boot": boot_id(),
        "pid": pid,
        "start_ticks": stat.start_ticks if stat else 0,
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "id": assignment.run_id,
        "name": assignment.name,
        "state": "running",
        "started": _utc(time.time()),
        "command": mask_command(assignment.command),
        "folder": assignment.folder,
        "user": os.getuid(),
        "launcher": launcher,
        "rate_hz": assignment.rate_hz,
        "environment": allowed_environment(
            dict(os.environ) if assignment.environment is None else assignment.environment
        ),
        "longpole": __version__,
    }


def joint_facts(run_id: str, name: str, folder: str) -> dict[str, Any]:
    """Return what is known of a run that several commands make together, before the first has begun."""
    return {
        "schema_version": SCHEMA_VERSION,
        "id": run_id,
        "name": name,
        "state": "running",
        "joint": True,
        "started": _utc(time.time()),
        "folder": folder,
        "user": os.getuid(),
        "longpole": __version__,
    }


def last_facts(ending: Ending | None, agent_cpu_s: float) -> dict[str, Any]:
    """Return what is known when it has ended; without a word from the launcher, that it was killed."""
    if ending is None:
        return {"state": "broken", "troubles": ["the launcher was killed"]}
    return {
        "state": "finished",
        **_how_it_ended(ending.status),
        "makespan_s": (ending.ended_ns - ending.began_ns) / 1e9,
        "left_behind": ending.left,
        "recording": {"launcher_cpu_s": ending.cpu_us / 1e6, "agent_cpu_s": round(agent_cpu_s, 6)},
        "troubles": ending.troubles,
    }


def _how_it_ended(status: int) -> dict[str, Any]:
    if status == NOT_KNOWN:
        return {"exit_code": None, "signal": None}
    killed = os.WIFSIGNALED(status)
    return {"exit_code": exit_code_of(status), "signal": os.WTERMSIG(status) if killed else None}


def exit_code_of(status: int) -> int:
    """Return the exit code a shell would show for a wait status."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)


def save(run_path: str, manifest: dict[str, Any]) -> None:
    """Write the manifest all at once: a reader sees the old one or the new one.

    Raises:
        OSError: The folder is gone, full or not ours.
    """
    path = os.path.join(run_path, MANIFEST)
    fresh = f"{path}.{os.getpid()}"
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(_readable(manifest))
        os.replace(fresh, path)
    except OSError:
        remove_file(fresh)
        raise


def _readable(manifest: dict[str, Any]) -> str:
    lines = [f" {json_text(key)}: {json_text(value)}" for key, value in manifest.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"
