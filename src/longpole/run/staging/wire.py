"""HTTP/1.1 on a socket, as much of it as staging speaks: heads, bodies of a known length, chunks.

Everything large goes through buffers of the caller, by ``recv_into``, since copies are what staging costs.
"""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

_MOST_HEAD = 65536
_TIMEOUT_S = 60
_END = b"\r\n"
_LINE = 10  # of a chunk of ours: eight digits and the end of the line
CHUNK_BEFORE, CHUNK_AFTER = _LINE, len(_END)


class Head(NamedTuple):
    """The first line of a request or an answer, and its fields by their names in lower case."""

    words: tuple[str, ...]
    fields: dict[str, str]

    @property
    def length(self) -> int:
        """How many bytes its body has; 0 where it does not say."""
        text = self.fields.get("content-length", "0")
        if not text.isdecimal():
            raise ConnectionAbortedError(f"Content-Length is '{text}'")
        return int(text)


class Wire:
    """One connection; ``ConnectionError`` where it ends early, ``TimeoutError`` where nothing moves."""

    def __init__(self, connection: socket.socket, timeout_s: int = _TIMEOUT_S) -> None:
        """Take a connected socket; it is closed with this."""
        limit = struct.pack("@ll", timeout_s, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Blocking, so that one call can wait for all of a block: the kernel keeps the limits.
        connection.settimeout(None)
        self._socket = connection
        self._held = b""

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._socket.fileno()

    def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of it."""
        try:
            self._socket.sendall(data)
        except BlockingIOError as error:
            raise TimeoutError("the other side takes nothing") from error

    def send_chunk(self, block: bytearray, size: int) -> None:
        """Send a chunk out of a block, which has room for its frame: ``CHUNK_BEFORE`` and ``CHUNK_AFTER``."""
        block[:_LINE] = b"%08x\r\n" % size
        block[_LINE + size : _LINE + size + CHUNK_AFTER] = _END
        with memoryview(block) as view:
            self.send(view[: _LINE + size + CHUNK_AFTER])

    def end_chunks(self) -> None:
        """Say that no chunk follows."""
        self.send(b"00000000\r\n\r\n")

    def head(self) -> Head | None:
        """Receive a head; None if the other side has ended, as it may between two requests."""
        while b"\r\n\r\n" not in self._held:
            if len(self._held) > _MOST_HEAD:
                raise ConnectionAbortedError("the head of a message is too long")
            data = self._receive(_MOST_HEAD)
            if not data and not self._held:
                return None
            if not data:
                raise ConnectionAbortedError("the connection ended early")
            self._held += data
        head, _, self._held = self._held.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        return Head(
            tuple(first.split(" ", 2)), {name.strip().lower(): text.strip() for name, _, text in pairs}
        )

    def fill(self, view: memoryview) -> None:
        """Receive as many bytes as there is room for."""
        if self._held:
            taken = min(len(self._held), len(view))
            view[:taken] = self._held[:taken]
            self._held = self._held[taken:]
            view = view[taken:]
        while view:
            try:
                taken = self._socket.recv_into(view, len(view), socket.MSG_WAITALL)
            except BlockingIOError as error:
                raise TimeoutError("the other side sends nothing") from error
            if not taken:
                raise ConnectionAbortedError("the connection ended early")
            view = view[taken:]

    def chunk(self, view: memoryview) -> int:
        """Receive one chunk into a buffer; return its size, 0 for the last."""
        line = self._line()
        try:
            size = int(line, 16)
        except ValueError:
            raise ConnectionAbortedError("a chunk has no size") from None
        if size < 0 or size + CHUNK_AFTER > len(view):
            raise ConnectionAbortedError(f"a chunk of {size} bytes is too large")
        self.fill(view[: size + CHUNK_AFTER])
        return size

    def drain(self) -> None:
        """Take what the other side still sends, so that it comes to read the answer; then it must end."""
        self._socket.shutdown(socket.SHUT_WR)
        while self._receive(_MOST_HEAD):
            pass

    def _receive(self, most: int) -> bytes:
        try:
            return self._socket.recv(most)
        except BlockingIOError as error:
            raise TimeoutError("the other side sends nothing") from error

    def _line(self) -> bytes:
        line = bytearray(_LINE)
        self.fill(memoryview(line))
        # Ours all have the same length; others' may be shorter (and are put back) or longer.
        place = line.find(_END)
        if place >= 0:
            self._held = bytes(line[place + 2 :]) + self._held
            return bytes(line[:place])
        one = bytearray(1)
        while not line.endswith(_END) and len(line) < 2 * _LINE:
            self.fill(memoryview(one))
            line += one
        return bytes(line[:-2])
