"""One run of the parts that nodes without a shared folder of runs have each made by themselves."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree

from longpole.app.imports import CannotKeepRunError, show_moment
from longpole.errors import UsageError
from longpole.log.files import LOG_FOLDER, read_plain_file
from longpole.model.manifest import Manifest, State
from longpole.record.manifest import joint_facts, save
from longpole.record.rundir import create_run_folder, working_folder
from longpole.store.life import state_of
from longpole.store.manifest import read_manifest


def merge(parts: Sequence[Path], name: str, runs: Path) -> Path:
    """Make one run of these, which stay as they are; return its folder.

    Raises:
        UsageError: One of them cannot be a part of a run, or is still being recorded.
        DamagedRunError: One of them cannot be read.
        CannotKeepRunError: There is no room for the run.
    """
    manifests = [_part(path) for path in parts]
    if len(parts) < 2:
        raise UsageError("There is nothing to merge: give at least two different runs.")
    first = min(manifests, key=lambda manifest: manifest.started)
    name = name or first.name
    try:
        path = create_run_folder(str(runs), name)
    except OSError as error:
        raise CannotKeepRunError(f"Cannot write a run into {runs}: {error.strerror}.") from error
    try:
        _copy_logs(parts, Path(path) / LOG_FOLDER)
        facts = joint_facts(path.rpartition("-")[2], name, working_folder())
        save(path, {**facts, "started": first.started, "made": show_moment(time.time_ns())})
    except OSError as error:
        rmtree(path, ignore_errors=True)
        raise CannotKeepRunError(f"Cannot write the run into {runs}: {error.strerror}.") from error
    except BaseException:
        rmtree(path, ignore_errors=True)
        raise
    return Path(path)


def _part(path: Path) -> Manifest:
    manifest = read_manifest(path)
    if not manifest.joint:
        raise UsageError(
            f"Run {manifest.id} is whole by itself: only runs of 'longpole record --into' can be merged."
        )
    if state_of(path, manifest) is State.RUNNING:
        raise UsageError(f"Run {manifest.id} is still being recorded. Merge it when it has ended.")
    return manifest


def _copy_logs(parts: Sequence[Path], folder: Path) -> None:
    """Copy all logs; one that several parts hold is copied once."""
    seen: set[bytes] = set()
    for name, data in _logs(parts):
        if data in seen:
            continue
        seen.add(data)
        target, number = folder / name, 1
        while target.exists():
            number += 1
            target = folder / f"{name}-{number}"
        target.touch(0o600)
        target.write_bytes(data)


def _logs(parts: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    for part in parts:
        for name in sorted(os.listdir(part / LOG_FOLDER)):
            yield name, read_plain_file(str(part / LOG_FOLDER / name))
