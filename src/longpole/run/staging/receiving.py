"""How the server puts files in their places: written under a hidden name, checked, renamed.

What cannot be written is noted while the rest is still taken in, so that the other side hears of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from longpole.run.staging.access import Access
from longpole.run.staging.checksums import DIGEST_BYTES, Checksums, digest_for, running_for
from longpole.run.staging.landing import hidden_in, remove, write_all
from longpole.run.staging.packs import Kind, entries
from longpole.run.staging.refusals import free_bytes
from longpole.run.staging.wire import Wire
from longpole.units import Bytes

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_BLOCK = 1 << 20
Facts = dict[str, Any]
"""What an answer says: ``wrong`` entries, and ``refused`` ones with error numbers, folders and free bytes."""


def receive_pack(wire: Wire, access: Access, checksums: Checksums) -> Facts:
    """Put the files of a pack in their places; return what went wrong.

    Raises:
        ConnectionError: The pack was cut off.
    """
    facts: Facts = {"wrong": [], "refused": []}
    folders = _Folders(access)
    digest = digest_for(checksums)
    for item, kind, name, mode, _, sent, body in entries(wire):
        path = os.fsdecode(name)
        found = digest(body) if kind == Kind.FILE else sent
        if found != sent:
            facts["wrong"].append((item, found.hex()))
            continue
        try:
            if kind == Kind.FOLDER:
                folders.hidden_for(f"{path.rstrip('/')}/all")
            else:
                _put(folders.hidden_for(path), path, mode, body)
        except OSError as error:
            facts["refused"].append((item, *_reason(error, path)))
    return facts


def receive_file(wire: Wire, access: Access, wanted: tuple[str, Bytes, int], checksums: Checksums) -> Facts:
    """Put one file (path, length of the body, permissions) in its place; return what went wrong.

    Raises:
        ConnectionError: It was cut off.
    """
    path, length, mode = wanted
    trailer = DIGEST_BYTES if checksums is Checksums.ON else 0
    target = _HiddenFile(path, _Folders(access), mode)
    try:
        running = running_for(checksums)
        buffer = memoryview(bytearray(_BLOCK))
        left = length - trailer
        while left > 0:
            piece = buffer[: min(left, _BLOCK)]
            wire.fill(piece)
            running.update(piece)
            target.write(piece)
            left -= len(piece)
        expected = bytearray(trailer)
        wire.fill(memoryview(expected))
        if expected and running.digest() != expected:
            return {"wrong": [(0, running.digest().hex())], "refused": []}
        target.settle()
    finally:
        target.close()
    return {"wrong": [], "refused": [(0, *_reason(target.error, path))] if target.error else []}


class _Folders:
    """Folders that may be written and are there, each looked at once; and a hidden name in each."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._hidden: dict[str, str] = {}

    def hidden_for(self, path: str) -> str:
        self._access.check_write(path)
        parent = path.rpartition("/")[0]
        hidden = self._hidden.get(parent)
        if hidden is None:
            os.makedirs(parent, exist_ok=True)
            hidden = self._hidden[parent] = hidden_in(parent)
        return hidden


def _put(hidden: str, path: str, mode: int, body: memoryview) -> None:
    try:
        descriptor = os.open(hidden, _CREATE, mode)
        try:
            write_all(descriptor, body)
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
        os.replace(hidden, path)
    except OSError:
        remove(hidden)
        raise


class _HiddenFile:
    """A file that is written under a hidden name; after its first error it takes all and keeps nothing."""

    def __init__(self, path: str, folders: _Folders, mode: int) -> None:
        self.error: OSError | None = None
        self._path, self._mode = path, mode
        self._hidden = ""
        self._descriptor = -1
        self._try(lambda: self._open(folders))

    def write(self, piece: memoryview) -> None:
        self._try(lambda: write_all(self._descriptor, piece))

    def settle(self) -> None:
        self._try(self._rename)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        if self._hidden:
            remove(self._hidden)

    def _open(self, folders: _Folders) -> None:
        self._hidden = folders.hidden_for(self._path)
        self._descriptor = os.open(self._hidden, _CREATE, 0o600)

    def _rename(self) -> None:
        os.fchmod(self._descriptor, self._mode)
        os.replace(self._hidden, self._path)
        self._hidden = ""

    def _try(self, act: Callable[[], None]) -> None:
        if self.error is None:
            try:
                act()
            except OSError as error:
                self.error = error


def _reason(error: OSError | None, path: str) -> tuple[int, str, Bytes | None]:
    parent = os.path.dirname(path)
    return (error.errno or 0) if error else 0, parent, free_bytes(parent)
