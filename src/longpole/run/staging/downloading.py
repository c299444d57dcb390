"""One large file from the server, over as many connections as it takes."""

from __future__ import annotations

import os
from contextlib import closing

from longpole.run.staging.checksums import DIGEST_BYTES, NO_DIGEST, Checksums, running_for
from longpole.run.staging.landing import write_all
from longpole.run.staging.remote import Remote, target_of
from longpole.run.staging.wire import Head
from longpole.units import Bytes

_BLOCK = 1 << 20


def downloaded(remote: Remote, path: str, name: str, target: str) -> Download:
    """Fetch a file of the server to a path here; return what came.

    Raises:
        StagingError: The server refuses, or connections break again and again.
        OSError: The file cannot be written.
    """
    download = Download(remote, path, name, target)
    try:
        remote.insist(f"'{name}'", download.go_on, lambda: download.at)
    finally:
        download.close()
    return download


class Download:
    """A file on its way.

    Attributes:
        at: How many bytes are here.
        running: Their checksum.
        digest: The checksum that the server made, when it has sent all.
    """

    def __init__(self, remote: Remote, path: str, name: str, target: str) -> None:
        self.at: Bytes = 0
        self.running = running_for(remote.checksums)
        self.digest = NO_DIGEST
        self._remote, self._path, self._name = remote, path, name
        self._version = ""
        self._buffer = memoryview(bytearray(_BLOCK))
        self._trailer = DIGEST_BYTES if remote.checksums is Checksums.ON else 0
        self._descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def go_on(self) -> None:
        """Fetch what is missing, over one connection."""
        fields = {"Range": f"bytes={self.at}-", "If-Range": self._version} if self.at else {}
        with closing(self._remote.ask(f"GET {target_of(os.fsencode(self._path))}", fields)) as wire:
            head = self._remote.answer(wire, f"'{self._name}' ({self._path})")
            self._begin(head)
            left = head.length - self._trailer
            while left > 0:
                piece = self._buffer[: min(left, _BLOCK)]
                wire.fill(piece)
                write_all(self._descriptor, piece)
                self.running.update(piece)
                self.at += len(piece)
                left -= len(piece)
            digest = bytearray(self._trailer)
            wire.fill(memoryview(digest))
            self.digest = bytes(digest) or self.digest
            os.fchmod(self._descriptor, int(head.fields.get("longpole-mode", "644"), 8))

    def _begin(self, head: Head) -> None:
        """Begin anew unless the server goes on where we are."""
        self._version = head.fields.get("etag", "")
        if head.words[1] != "206":
            self.at, self.running = 0, running_for(self._remote.checksums)
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
