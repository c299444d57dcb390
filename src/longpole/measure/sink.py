"""A sink for bytes: greets whoever connects, swallows all that is sent, and answers how much it was.

It keeps nothing, looks at nothing and sends nothing but the greeting and the count. Whoever is silent for
half a minute, or sends for more than some minutes, is sent away without a count.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from types import TracebackType
from typing import Self

GREETING = b"longpole sink 1\n"
COUNT = struct.Struct(">Q")
PIECE = 1 << 20
_MOST_CLIENTS = 64
_SILENCE_S = 30.0
_LONGEST_S = 300.0
_POLL_S = 0.2


class Sink:
    """A server on one address; each client has a thread."""

    def __init__(self, host: str, port: int) -> None:
        """Listen; raises ``OSError`` where that is not permitted."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        self._listening = socket.create_server(found[0][4][:2], family=found[0][0], backlog=_MOST_CLIENTS)
        self._listening.settimeout(_POLL_S)
        self._stopped = threading.Event()
        self._places = threading.Semaphore(_MOST_CLIENTS)
        self._thread = threading.Thread(target=self._serve, name="longpole sink", daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, port, *_ = self._listening.getsockname()
        return host, port

    def start(self) -> None:
        """Begin to serve; once."""
        self._thread.start()

    def wait(self) -> None:
        """Wait until it is closed."""
        self._stopped.wait()

    def close(self) -> None:
        """Listen no longer; clients that are being served end when they are done or silent."""
        self._stopped.set()
        self._thread.join()
        self._listening.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve(self) -> None:
        while not self._stopped.is_set():
            try:
                client, _ = self._listening.accept()
            except TimeoutError:
                continue  # nobody came for a while
            except OSError:  # one went again at once, or there are too many
                self._stopped.wait(_POLL_S)
                continue
            if self._places.acquire(blocking=False):
                threading.Thread(target=self._swallow, args=(client,), daemon=True).start()
            else:
                client.close()

    def _swallow(self, client: socket.socket) -> None:
        try:
            with client:
                client.settimeout(_SILENCE_S)
                client.sendall(GREETING)
                client.sendall(COUNT.pack(_swallowed(client)))
        except OSError:
            pass  # the client is gone, or has been here for too long
        finally:
            self._places.release()


def _swallowed(client: socket.socket) -> int:
    buffer, count, until = bytearray(PIECE), 0, time.monotonic() + _LONGEST_S
    while got := client.recv_into(buffer):
        count += got
        if time.monotonic() > until:
            raise TimeoutError
    return count
