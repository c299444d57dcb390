"""A program run twice, as it is and recorded: what it says and how it ends must be the same."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.recording import Someone

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and with what a program runs; no PYTHONPATH but one given here."""

    folder: Path
    env: Mapping[str, str] | None = None
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What a program said, and how it ended."""

    code: int
    out: str
    err: str


def run(user: Someone, command: list[str], setting: Setting) -> Said:
    """Run a command as it is."""
    environment = user.environment(setting.env)
    if "PYTHONPATH" not in (setting.env or {}):
        del environment["PYTHONPATH"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        input=setting.stdin,
        cwd=setting.folder,
        env=environment,
        timeout=100,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def record(user: Someone, command: list[str], setting: Setting) -> Said:
    """Run a command recorded; the recorder itself is isolated from what the program is given."""
    return run(user, [user.python, "-I", "-m", "longpole", "record", "--", *command], setting)


def same(user: Someone, command: list[str], setting: Setting) -> Said:
    """Run a command both ways; what it said and how it ended must be the same, and is returned."""
    bare, recorded = run(user, command, setting), record(user, command, setting)
    assert _comparable(recorded) == _comparable(bare), f"{recorded}\n\nas it is:\n{bare}"
    return recorded


def _comparable(said: Said) -> tuple[int, str, str]:
    """Return what must be the same: all but the addresses of objects."""
    return said.code, re.sub("0x[0-9a-f]{6,}", "0x", said.out), re.sub("0x[0-9a-f]{6,}", "0x", said.err)
