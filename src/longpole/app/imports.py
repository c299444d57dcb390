"""From what another system tells to a run on the disk."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree

import msgspec
import numpy as np
from numpy.typing import NDArray

from longpole._version import __version__
from longpole.errors import UNMEASURABLE, LongpoleError
from longpole.log.files import LogWriter
from longpole.model.columns import Column, Columns
from longpole.model.manifest import State
from longpole.model.told import Told
from longpole.record.manifest import SCHEMA_VERSION, save
from longpole.record.rundir import create_run_folder, working_folder
from longpole.store.derive.notes import Teller
from longpole.store.derive.pieces import pieces_of


class CannotKeepRunError(LongpoleError):
    """There is no room for a run."""

    exit_code = UNMEASURABLE


def keep(told: Told, runs: Path) -> Path:
    """Make a run of what was told; return its folder.

    Raises:
        CannotKeepRunError: It cannot be written there.
    """
    try:
        path = create_run_folder(str(runs), told.name)
    except OSError as error:
        raise CannotKeepRunError(f"Cannot write a run into {runs}: {error.strerror}.") from error
    with ExitStack() as unless_whole:  # a run that is half written must not stay, whatever goes wrong
        unless_whole.callback(rmtree, path, ignore_errors=True)
        try:
            write_log(path, Teller(told.source, told.gaps), told.tables)
            save(path, _manifest(path, told))
        except OSError as error:
            said = error.strerror or error
            raise CannotKeepRunError(f"Cannot write the run into {runs}: {said}.") from error
        unless_whole.pop_all()
    return Path(path)


def write_log(path: str, teller: Teller, tables: Mapping[str, Columns]) -> str:
    """Add what somebody tells to the log of a run; return the new file, which is whole.

    Raises:
        OSError: It cannot be written; there is none.
    """
    log = LogWriter(path, time.time_ns())
    try:
        log.notes([msgspec.json.encode(teller)])
        for table, rows in tables.items():
            for piece in pieces_of(table, rows):
                log.piece(piece)
                log.flush()
        log.close()
        if log.lost:
            raise OSError(0, log.trouble)
    except BaseException:
        os.unlink(log.path)
        raise
    return log.path


def _manifest(path: str, told: Told) -> dict[str, object]:
    first, last = _span(told.tables.get("phases"))
    now_ns = time.time_ns()
    return {
        "schema_version": SCHEMA_VERSION,
        "id": path.rpartition("-")[2],
        "name": told.name,
        "state": State.FINISHED.value,
        "started": show_moment(first or now_ns),
        "made": show_moment(now_ns),
        "command": [],
        "folder": working_folder(),
        "user": os.getuid(),
        "makespan_s": None if first is None or last is None else (last - first) / 1e9,
        "longpole": __version__,
    }


def show_moment(moment_ns: int) -> str:
    """Return a moment as manifests have it.

    Examples:
        >>> show_moment(1_794_770_150_250_000_000)
        '2026-11-15T19:15:50.250Z'
    """
    seconds, rest = divmod(moment_ns, 1_000_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest // 1_000_000:03}Z"


def _span(phases: Columns | None) -> tuple[int | None, int | None]:
    if phases is None:
        return None, None
    moments = np.concatenate([_known(phases[name]) for name in ("start_ns", "end_ns")])
    return (int(moments.min()), int(moments.max())) if len(moments) else (None, None)


def _known(column: Column) -> NDArray[np.int64]:
    values = np.asarray(column.values)
    return values if column.known is None else values[np.asarray(column.known) != 0]
