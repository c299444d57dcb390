"""Reading ``run.json``: everything in it may be missing, broken, or meant to do harm."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any

import msgspec

from longpole.errors import DamagedRunError, NewerLogError, UnreadableLogError
from longpole.log.files import read_plain_file
from longpole.model.manifest import Manifest, State

SCHEMA_VERSION = 1
MANIFEST = "run.json"

_MOST_BYTES = 16 << 20
_LONGEST_S = 1e10
_MOST_NUMBER = 1 << 62


class _Version(msgspec.Struct):
    schema_version: int


def read_manifest(folder: str | os.PathLike[str]) -> Manifest:
    """Return what a run says about itself.

    Raises:
        NewerLogError: A later version of Longpole wrote it.
        DamagedRunError: It is missing or is not a manifest.
    """
    path = os.path.join(folder, MANIFEST)
    return parse_manifest(path, manifest_bytes(path))


def manifest_bytes(path: str) -> bytes:
    """Return a manifest as it lies on the disk.

    Raises:
        DamagedRunError: It is missing, is no plain file, or is far too large.
    """
    try:
        if os.lstat(path).st_size > _MOST_BYTES:
            raise DamagedRunError(f"{path} is too large to be a manifest of Longpole.")
        return read_plain_file(path)
    except FileNotFoundError as error:
        raise DamagedRunError(
            f"{os.path.dirname(path)} has no {MANIFEST}, so it is no run, or a damaged one."
        ) from error
    except OSError as error:
        raise UnreadableLogError(path, error.strerror or str(error)) from error


def parse_manifest(path: str, data: bytes) -> Manifest:
    """Return the manifest these bytes hold; ``path`` is for messages.

    Raises:
        NewerLogError: A later version of Longpole wrote it.
        DamagedRunError: It is not a manifest.
    """
    version = _decode(path, data, _Version).schema_version
    if version > SCHEMA_VERSION:
        raise NewerLogError(path, version, SCHEMA_VERSION)
    if version < 1:
        raise DamagedRunError(f"{path} states version {version}, which never was.")
    return _believable(path, _decode(path, data, Manifest))


def substitute(folder: str | os.PathLike[str]) -> Manifest:
    """Return the manifest of a run that has lost its own, as far as the folder's name tells."""
    stem = os.path.basename(os.path.abspath(folder))
    _, _, rest = stem.partition("-")
    name, _, identity = rest.rpartition("-")
    return Manifest(SCHEMA_VERSION, id=identity or stem, name=name or stem, state=State.BROKEN)


def _decode(path: str, data: bytes, kind: type[Any]) -> Any:  # noqa: ANN401  an instance of ``kind``
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DamagedRunError(f"{path} is not a manifest of Longpole: {error}.") from error


def _believable(path: str, manifest: Manifest) -> Manifest:
    """Refuse an empty id, and let go of numbers no run can have."""
    if not manifest.id or "/" in manifest.id:
        raise DamagedRunError(f"{path} gives the run an unusable id, '{manifest.id}'.")
    return replace(
        manifest,
        makespan_s=_sound(manifest.makespan_s),
        exit_code=_small(manifest.exit_code),
        signal=_small(manifest.signal),
    )


def _sound(seconds: float | None) -> float | None:
    if seconds is None or not math.isfinite(seconds) or not 0 <= seconds <= _LONGEST_S:
        return None
    return seconds


def _small(number: int | None) -> int | None:
    return number if number is not None and abs(number) < _MOST_NUMBER else None
