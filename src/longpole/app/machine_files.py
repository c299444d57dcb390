"""Machine files of the user: where a measurement goes, over what it may go, and what of it is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from longpole.describe.library import known_machines, user_machines_folder
from longpole.describe.machine_text import machine_text
from longpole.describe.machines import read_machine
from longpole.errors import LongpoleError, UsageError
from longpole.model.machine import Machine
from longpole.present.machine import KnownMachine

Value = TypeVar("Value")


def measured_on(host: str) -> str:
    """Return how the text of a machine that was measured on a host begins."""
    return f"Measured on {host} "


def target_of(out: str, name: str) -> Path:
    """Return the file that a machine goes to: as given, or by its name among the user's machines.

    Raises:
        UsageError: The name cannot be that of a file.
    """
    if out:
        return Path(out).expanduser().absolute()
    if not name or name.startswith((".", "-")) or any(letter in name for letter in "/\\\0\n"):
        raise UsageError(f"'{name}' cannot be the name of a machine; use letters, digits, '-' and '_'.")
    return user_machines_folder() / f"{name}.toml"


def earlier(target: Path, host: str, *, force: bool) -> Machine | None:
    """Return the machine that a new measurement goes over: one that was measured on the same host.

    Raises:
        UsageError: What is there is anything else, and it was not asked to replace it.
    """
    if target.is_dir():
        raise UsageError(f"{target} is a folder. Give another --out.")
    if not target.exists():
        return None
    try:
        found = read_machine(target)
    except LongpoleError as error:
        if force:
            return None
        raise UsageError(f"{target} is there, but is no machine. Give another --out, or --force.") from error
    if found.about.startswith(measured_on(host)):
        return found
    if force:
        return None
    raise UsageError(
        f"{target} is another machine ('{found.name}'). Give another --name or --out, or --force."
    )


def joined(new: Machine, old: Machine | None) -> tuple[Machine, tuple[str, ...]]:
    """Return a measured machine with all that an earlier file has besides, and the names of that."""
    if old is None:
        return new, ()
    kept = [
        name
        for was, now in ((old.node, new.node), (old.system, new.system), (old.overheads, new.overheads))
        for name in was
        if name not in now
    ]
    node, system = _over(old.node, new.node), _over(old.system, new.system)
    return replace(new, node=node, system=system, overheads=_over(old.overheads, new.overheads)), tuple(kept)


def write_machine(machine: Machine, target: Path) -> None:
    """Write a machine file, whole or not at all.

    Raises:
        UsageError: It cannot be written there.
    """
    from longpole.app.outputs import fresh_file

    try:
        os.makedirs(target.parent, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot make {target.parent}: {error.strerror}. Give another --out.") from error
    with fresh_file(target, force=True) as path:
        path.write_text(machine_text(machine), encoding="utf-8")


def listed_machines() -> list[KnownMachine]:
    """Return all machines there are files for, those that cannot be read, too."""
    return [_listed(name, path) for name, path in known_machines().items()]


def _listed(name: str, path: Path) -> KnownMachine:
    try:
        machine = read_machine(path)
    except LongpoleError as error:
        return KnownMachine(name, str(path), None, str(error))
    return KnownMachine(name, str(path), machine.nodes, machine.about)


def _over(old: Mapping[str, Value], new: Mapping[str, Value]) -> dict[str, Value]:
    return {**old, **new}
