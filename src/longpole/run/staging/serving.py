"""The process of the server of files: listens, and gives each connection a process of its own.

Started by ``server``, which tells it by its standard input, as lines of JSON, first what to serve and where
to listen, then which paths are registered; it says on its standard output where it listens. It ends with its
input, and with its driver, since copies of the driver may hold the input open. It leaves its starter first,
so that the driver, who waits for all its children, has none that it does not know.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import sys

from longpole.record.kernel import die_with_parent
from longpole.run.staging.access import Access
from longpole.run.staging.answers import answer_all
from longpole.run.staging.wire import Wire

_INPUT, _OUTPUT = 0, 1
_BACKLOG = 1024
_BLOCK = 1 << 16


def main() -> int:
    """Serve until the input ends."""
    lines = _Lines(_INPUT)
    wishes = json.loads(lines.first())
    try:
        listener = socket.create_server((wishes["host"], wishes["port"]), backlog=_BACKLOG)
    except OSError as error:
        _tell({"error": error.strerror or str(error)})
        return 1
    if os.fork():
        os._exit(0)
    # A group of its own: Ctrl-C is for the driver, which may still have outputs to take in.
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _tell({"port": listener.getsockname()[1], "pid": os.getpid()})
    access = Access(wishes["token"], wishes["roots"])
    _serve(listener, access, lines, wishes["driver"])
    return 0


class _Lines:
    """Lines of a descriptor, read as they come."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = b""
        self.ended = False

    def first(self) -> bytes:
        """Wait for one line."""
        while b"\n" not in self._held and not self.ended:
            self._read()
        line, _, self._held = self._held.partition(b"\n")
        return line

    def waiting(self) -> list[bytes]:
        """Return the lines that are there; never waits."""
        os.set_blocking(self._descriptor, False)
        while not self.ended:
            try:
                self._read()
            except BlockingIOError:
                break
        *lines, self._held = self._held.split(b"\n")
        return lines

    def _read(self) -> None:
        data = os.read(self._descriptor, _BLOCK)
        self.ended = not data
        self._held += data


def _tell(facts: dict[str, object]) -> None:
    os.write(_OUTPUT, json.dumps(facts).encode() + b"\n")


def _serve(listener: socket.socket, access: Access, lines: _Lines, driver: int) -> None:
    try:
        end_of_driver = os.pidfd_open(driver)
    except ProcessLookupError:
        return
    selector = selectors.DefaultSelector()
    for one in (listener, _INPUT, end_of_driver):
        selector.register(one, selectors.EVENT_READ)
    while not lines.ended:
        ready = [key.fileobj for key, _ in selector.select()]
        if end_of_driver in ready:
            return
        # What was registered before a connection was made must be known to it.
        for line in lines.waiting():
            access.register(json.loads(line))
        if listener in ready and not lines.ended:
            connection, _ = listener.accept()
            _fork(connection, listener, access)
            connection.close()


def _fork(connection: socket.socket, listener: socket.socket, access: Access) -> None:
    parent = os.getpid()
    if os.fork():
        return
    try:
        die_with_parent(parent)
        listener.close()
        answer_all(Wire(connection), access)
    except OSError:
        pass  # the connection is broken: the other side knows, and comes again
    finally:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
