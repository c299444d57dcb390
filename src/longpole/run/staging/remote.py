"""The server of files as its clients see it: connections, requests, and what its answers mean."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote_from_bytes, urlsplit

from longpole.errors import UsageError
from longpole.model.staging import StagingError
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.wire import Head, Wire

_CONNECT_S = 20.0
# So often in a row a connection may break without having brought anything.
_BREAKS = 3
_PAUSE_S = 0.2
_Result = TypeVar("_Result")


class Remote:
    """Where a server listens, and what it wants to see of those who ask.

    Attributes:
        url: Where it listens.
        checksums: Whether what crosses is checked.
    """

    def __init__(self, url: str, token: str, checksums: Checksums) -> None:
        """Take what the server's starter was told.

        Raises:
            UsageError: The address is none.
        """
        parts = urlsplit(url)
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if parts.scheme != "http" or not host or not port:
            raise UsageError(f"'{url}' is not where a server of files listens: write it as http://HOST:PORT.")
        self.url, self.checksums = url, checksums
        self._address = host, port
        self._token = token

    def ask(self, request: str, fields: Mapping[str, object] | None = None, body: bytes = b"") -> Wire:
        """Connect and send a request, and its body if it is at hand.

        Raises:
            OSError: There is no connection.
        """
        wire = Wire(socket.create_connection(self._address, timeout=_CONNECT_S))
        try:
            lines = [f"{request} HTTP/1.1", f"Host: {self._address[0]}:{self._address[1]}"]
            lines += [f"Authorization: Bearer {self._token}", f"Longpole-Checksums: {self.checksums}"]
            lines += ["Connection: close", *(f"{name}: {text}" for name, text in (fields or {}).items())]
            wire.send("\r\n".join((*lines, "", "")).encode("latin-1") + body)
        except OSError:
            wire.close()
            raise
        return wire

    def answer(self, wire: Wire, what: str) -> Head:
        """Receive the head of an answer.

        Raises:
            StagingError: The server refuses.
            ConnectionError: There is none.
        """
        head = wire.head()
        if head is None or len(head.words) < 2:
            raise ConnectionAbortedError("the server does not answer")
        if head.words[1] == str(HTTPStatus.UNAUTHORIZED.value):
            raise StagingError(f"The server of files at {self.url} does not know the token it was given.")
        if head.words[1][:1] != "2":
            raise StagingError(
                f"The server of files at {self.url} refuses {what}: {self._reason(wire, head)}."
            )
        return head

    def facts(self, wire: Wire, what: str) -> dict[str, Any]:
        """Receive an answer that is JSON.

        Raises:
            StagingError: The server refuses.
            ConnectionError: It was cut off.
        """
        body = bytearray(self.answer(wire, what).length)
        wire.fill(memoryview(body))
        found: dict[str, Any] = json.loads(body)
        return found

    def insist(self, what: str, attempt: Callable[[], _Result], progress: Callable[[], object]) -> _Result:
        """Try again while connections break, as long as that brings anything.

        Raises:
            StagingError: It breaks again and again.
        """
        breaks = Breaks(self, what)
        while True:
            before = progress()
            try:
                return attempt()
            except (ConnectionError, TimeoutError, socket.gaierror) as error:
                breaks.note(str(error), progress=progress() != before)

    def _reason(self, wire: Wire, head: Head) -> str:
        body = bytearray(min(head.length, 1 << 16))
        wire.fill(memoryview(body))
        try:
            return str(json.loads(body)["reason"])
        except (ValueError, KeyError, TypeError):
            return " ".join(head.words[1:])


class Breaks:
    """Counts connections that break, and says when it has been too often."""

    def __init__(self, remote: Remote, what: str) -> None:
        """Begin; ``what`` is what is to be moved."""
        self._remote, self._what = remote, what
        self._in_a_row = 0

    def note(self, reason: str, *, progress: bool) -> None:
        """Count one, and pause before the next attempt; a connection that brought something is forgiven.

        Raises:
            StagingError: Too many in a row have brought nothing.
        """
        self._in_a_row = 1 if progress else self._in_a_row + 1
        if self._in_a_row > _BREAKS:
            raise StagingError(
                f"Cannot move {self._what}: the connection to the server of files at {self._remote.url} "
                f"breaks: {reason}."
            )
        time.sleep(_PAUSE_S * (self._in_a_row - 1))


def target_of(path: bytes) -> str:
    """Return what a request calls a file.

    Examples:
        >>> target_of(b"/data/a b.png")
        '/file/data/a%20b.png'
    """
    return "/file" + quote_from_bytes(path)
