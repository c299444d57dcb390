"""A relay between a client and a server that does harm: it flips bits, or breaks connections."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

Harm = Callable[[int, int, bytearray], bool]
"""Takes which connection, where its piece begins, and the piece; may change it; False breaks off."""


class Relay:
    """Where it listens, and how many connections it has had."""

    def __init__(self, url: str, down: Harm, up: Harm) -> None:
        parts = urlsplit(url)
        self._server = parts.hostname, parts.port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._harms = down, up
        self.connections = 0
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        threads = []
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                break
            threads.append(threading.Thread(target=self._relay, args=(client, self.connections)))
            self.connections += 1
            threads[-1].start()
        for thread in threads:
            thread.join()

    def _relay(self, client: socket.socket, number: int) -> None:
        with client, socket.create_connection(self._server) as server:
            down, up = self._harms
            back = threading.Thread(target=_pump, args=(server, client, number, down))
            back.start()
            _pump(client, server, number, up)
            back.join()


@contextmanager
def relay(url: str, *, down: Harm | None = None, up: Harm | None = None) -> Iterator[Relay]:
    """Stand between clients and a server; ``down`` is what it does to what the server says."""
    one = Relay(url, down or nothing, up or nothing)
    try:
        yield one
    finally:
        one.close()


def nothing(connection: int, start: int, piece: bytearray) -> bool:
    """Do no harm."""
    return True


def flip(place: int, connections: range) -> Harm:
    """Flip one bit at a place of some connections."""

    def harm(connection: int, start: int, piece: bytearray) -> bool:
        if connection in connections and start <= place < start + len(piece):
            piece[place - start] ^= 0x10
        return True

    return harm


def cut(place: int, connections: range) -> Harm:
    """Break some connections when a place is reached."""

    def harm(connection: int, start: int, piece: bytearray) -> bool:
        if connection in connections and start + len(piece) > place:
            del piece[max(0, place - start) :]
            return False
        return True

    return harm


def _pump(source: socket.socket, target: socket.socket, number: int, harm: Harm) -> None:
    start = 0
    try:
        while data := source.recv(65536):
            piece = bytearray(data)
            goes_on = harm(number, start, piece)
            target.sendall(piece)
            start += len(data)
            if not goes_on:
                source.shutdown(socket.SHUT_RDWR)
                break
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one side has ended
