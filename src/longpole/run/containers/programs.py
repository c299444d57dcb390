"""Programs of the host that make containers: where they are, and what they say when they fail."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

_TIMEOUT_S = 600
# An ordinary user's PATH does not look where programs of administrators are.
_ALSO = ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"


def program(*names: str) -> str:
    """Return the path of the first of these programs that is installed, or an empty text."""
    path = os.environ.get("PATH", "") + _ALSO
    return next((found for name in names if (found := shutil.which(name, path=path))), "")


def why_not(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Run a command to its end; return the last it said if it failed, else an empty text."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{command[0]} did not end within {_TIMEOUT_S} s"
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return (lines[-1].strip() if lines else f"exit code {done.returncode}") if done.returncode else ""


def answer(command: Sequence[str]) -> str:
    """Run a command to its end; return what it wrote, or an empty text if it failed."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.decode("utf-8", "replace")
