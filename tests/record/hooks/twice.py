"""A program run both ways, and the phases of its recording, each with the one it is part of."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.record.hooks.both_ways import PROGRAMS, Said, Setting, record, run
from tests.recording import Someone, somebody

Row = dict[str, Any]
_SQL = """SELECT phases.*, processes.pid,
        above.name AS above, above.kind AS above_kind, above.parent AS beyond
    FROM phases LEFT JOIN phases AS above ON phases.parent = above.id
    LEFT JOIN processes ON phases.process = processes.id ORDER BY phases.start_ns"""


@dataclass(frozen=True, slots=True)
class Twice:
    """What a program said each time, and its phases in order of their starts."""

    bare: Said
    recorded: Said
    rows: list[Row]


def run_twice(program: str, *options: str) -> Twice:
    """Run a program with these options of Python, bare and then recorded."""
    with somebody(nobody=False) as user:
        command = [user.python, *options, str(PROGRAMS / program)]
        setting = Setting(PROGRAMS, looking_in(user))
        bare, recorded = run(user, command, setting), record(user, command, setting)
        return Twice(bare, recorded, list(user.latest().query(_SQL).records()))


def looking_in(user: Someone, *folders: Path) -> dict[str, str]:
    """Return an environment in which Python looks for modules in these folders, and for our package."""
    return {"PYTHONPATH": os.pathsep.join(map(str, (*folders, user.source)))}
