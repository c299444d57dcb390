"""Data on the web: fetched by its address, in pieces; a transfer that breaks goes on where it stopped.

A server that does not serve ranges, or whose file has changed meanwhile, is asked for all of it again.
Messages name an address without its user, password and query, which may be secret.
"""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence

from longpole.model.staging import Item, StagingError
from longpole.run.staging.checksums import Checksums, Running, running_for, shown
from longpole.run.staging.landing import Landing, hidden_beside, remove, replace, write_all
from longpole.run.staging.movements import Movements
from longpole.run.staging.refusals import AGAIN, unwritable, wrong_checksum
from longpole.units import Bytes

_BLOCK = 1 << 20
_TIMEOUT_S = 60.0
# So often in a row a transfer may break without having brought anything.
_BREAKS = 3
_PAUSE_S = 0.5


def fetch_absent(
    items: Sequence[Item], ground: Landing, movements: Movements, checksums: Checksums
) -> list[Item]:
    """Fetch what has an address and lies nowhere yet; return the items that lie at their paths now.

    What has a path is kept there for others; what has none arrives in the job's folder.

    Raises:
        StagingError: Something cannot be fetched, or stays wrong.
    """
    here = []
    for item in items:
        if item.url and not item.path:
            fetch(item, ground.path(item.name), movements, checksums)
            continue
        if item.url and not os.path.exists(item.path):
            _keep(item, movements, checksums)
        here.append(item)
    return here


def fetch(item: Item, target: str, movements: Movements, checksums: Checksums) -> None:
    """Fetch one file to a path that is nobody else's, and again while it has not the checksum it must have.

    Raises:
        StagingError: It cannot be fetched or written, or stays wrong.
    """
    if item.name.endswith("/"):
        raise StagingError(f"'{item.name}' is a directory: it cannot be fetched from {public(item.url)}.")
    for again in range(1 + AGAIN):
        with movements.movement(item.name) as movement, _Download(item, target, checksums) as download:
            download.run()
            movement.add(download.size)
        found = shown(download.running.digest())
        if not found or item.checksum in ("", found):
            movements.again += again
            movements.note(item.name, download.size, found)
            return
        remove(target)
    raise wrong_checksum(item.name, public(item.url), item.checksum, found, 1 + AGAIN)


def public(url: str) -> str:
    """Return an address without what may be secret in it.

    Examples:
        >>> public("https://me:secret@data.org/x.h5?key=1")
        'https://data.org/x.h5'
    """
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _keep(item: Item, movements: Movements, checksums: Checksums) -> None:
    try:
        hidden = hidden_beside(item.path)
        try:
            fetch(item, hidden, movements, checksums)
            replace(hidden, item.path)
        finally:
            remove(hidden)
    except OSError as error:
        raise unwritable(error, f"'{item.name}'", os.path.dirname(item.path), item.size_bytes) from error


class _Download:
    """One file on its way, over as many connections as it takes."""

    def __init__(self, item: Item, target: str, checksums: Checksums) -> None:
        self.size: Bytes = 0
        self.running: Running = running_for(checksums)
        self._item, self._target, self._checksums = item, target, checksums
        self._descriptor = -1
        self._version = ""
        self._buffer = memoryview(bytearray(_BLOCK))

    def __enter__(self) -> _Download:
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
            self._descriptor = os.open(self._target, flags, 0o644)
        except OSError as error:
            raise self._no_room(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def run(self) -> None:
        """Fetch it all."""
        breaks = 0
        while True:
            before = self.size
            reason = self._go_on()
            if not reason:
                return
            breaks = 1 if self.size > before else breaks + 1
            if breaks > _BREAKS:
                raise self._failed(reason)
            time.sleep(_PAUSE_S * (breaks - 1))

    def _go_on(self) -> str:
        """Fetch what is missing; return why that broke off, or an empty string."""
        try:
            with urllib.request.urlopen(self._request(), timeout=_TIMEOUT_S) as answer:
                if self.size and answer.status != http.client.PARTIAL_CONTENT:
                    self._begin_again()
                self._version = answer.headers.get("ETag") or answer.headers.get("Last-Modified") or ""
                return self._take(answer)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and self.size:
                self._begin_again()
            elif error.code < http.client.INTERNAL_SERVER_ERROR:
                raise self._failed(f"the server answers {error.code} {error.reason}") from error
            return f"the server answers {error.code} {error.reason}"
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
            return str(error.reason if isinstance(error, urllib.error.URLError) else error) or repr(error)

    def _request(self) -> urllib.request.Request:
        if urllib.parse.urlsplit(self._item.url).scheme not in ("http", "https"):
            raise self._failed("only http and https addresses can be fetched")
        request = urllib.request.Request(self._item.url)
        if self.size:
            request.add_header("Range", f"bytes={self.size}-")
            if self._version and not self._version.startswith("W/"):
                request.add_header("If-Range", self._version)
        return request

    def _take(self, answer: http.client.HTTPResponse) -> str:
        expected = answer.headers.get("Content-Length")
        taken = 0
        while count := answer.readinto(self._buffer):
            piece = self._buffer[:count]
            self.running.update(piece)
            try:
                write_all(self._descriptor, piece)
            except OSError as error:
                raise self._no_room(error) from error
            self.size += count
            taken += count
        return "" if expected is None or taken >= int(expected) else "the connection ended early"

    def _begin_again(self) -> None:
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        self.size, self.running = 0, running_for(self._checksums)

    def _failed(self, reason: str) -> StagingError:
        return StagingError(f"Cannot fetch '{self._item.name}' from {public(self._item.url)}: {reason}.")

    def _no_room(self, error: OSError) -> StagingError:
        needed = self._item.size_bytes or self.size
        return unwritable(error, f"'{self._item.name}'", os.path.dirname(self._target), needed)
