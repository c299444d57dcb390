"""One large file to the server, read once for its bytes and its checksum."""

from __future__ import annotations

import os
from contextlib import closing
from io import FileIO
from typing import Any

from longpole.model.staging import StagingError
from longpole.run.staging.checksums import DIGEST_BYTES, Checksums, running_for, shown
from longpole.run.staging.remote import Remote, target_of
from longpole.run.staging.wire import Wire
from longpole.units import Bytes

_BLOCK = 1 << 20
Uploaded = tuple[Bytes, str, dict[str, Any]]


def upload(remote: Remote, source: str, target: str) -> Uploaded:
    """Send a file to a path at the server; return its size and checksum, and what the server says.

    Raises:
        StagingError: The server refuses, or the file got smaller meanwhile.
        ConnectionError: The connection broke.
        OSError: The file cannot be read.
    """
    with FileIO(source) as file:
        facts = os.fstat(file.fileno())
        trailer = DIGEST_BYTES if remote.checksums is Checksums.ON else 0
        fields = {"Content-Length": facts.st_size + trailer, "Longpole-Mode": f"{facts.st_mode & 0o777:o}"}
        with closing(remote.ask(f"PUT {target_of(os.fsencode(target))}", fields)) as wire:
            digest = _send(wire, file, facts.st_size, remote.checksums)
            wire.send(digest[:trailer])
            return facts.st_size, shown(digest), remote.facts(wire, f"'{target}'")


def _send(wire: Wire, file: FileIO, left: Bytes, checksums: Checksums) -> bytes:
    running = running_for(checksums)
    buffer = memoryview(bytearray(_BLOCK))
    while left:
        size = file.readinto(buffer[: min(left, _BLOCK)])
        if not size:
            raise StagingError(f"{file.name!r} got smaller while it was sent. Is something still writing it?")
        running.update(buffer[:size])
        wire.send(buffer[:size])
        left -= size
    return running.digest()
