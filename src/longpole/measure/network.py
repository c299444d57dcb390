"""Network: how fast bytes go through TCP, within this node or to another one that runs a sink.

Method: some connections at once (one for every two cores within a node, four to another one) send for some
tenths of a second; the time ends when the sink has told that all has arrived. One direction, large pieces:
latency and small messages are left out, and so is RDMA, which MPI and NCCL use where they can.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping

from longpole.errors import UsageError
from longpole.measure.cores import workers
from longpole.measure.probe import LEAST_REPEATS, UnmeasurableError
from longpole.measure.sink import COUNT, GREETING, PIECE, Sink
from longpole.measure.together import Together

TRIAL_S = 0.15
DEFAULT_PORT = 7417
_CONNECTIONS = 4
_MOST_LOOPS = 8
_WAIT_S = 10.0

Address = tuple[str, int]


class Loopback:
    """Connections from this node to itself."""

    least = LEAST_REPEATS
    on_cores = True
    remark = ""

    def __init__(self) -> None:
        """Open a sink of our own."""
        self._sink = Sink("127.0.0.1", 0)
        self._sink.start()
        self._connections = min(_MOST_LOOPS, max(1, workers() // 2))
        self._together = Together(self._connections)

    @property
    def how(self) -> str:
        """Say how many connections there were."""
        return f"TCP through 127.0.0.1, connections: {self._connections}"

    def trial(self) -> Mapping[str, float]:
        """Send for a while."""
        return {"loopback": sent_rate(self._together, self._sink.address, self._connections)}

    def close(self) -> None:
        """Close the sink."""
        self._together.close()
        self._sink.close()


class Network:
    """Connections to a sink on another node."""

    least = LEAST_REPEATS
    on_cores = True

    def __init__(self, host: str) -> None:
        """Try whether the sink is there."""
        self._host = host
        self._address = address_of(host)
        self.remark = "The host is this node itself." if self._address[0] in _OURSELVES else ""
        self._together = Together(_CONNECTIONS)
        try:
            _connected(self._address).close()
        except BaseException:
            self._together.close()
            raise

    @property
    def how(self) -> str:
        """Say where to."""
        return f"TCP to {self._host}, connections: {_CONNECTIONS}"

    def trial(self) -> Mapping[str, float]:
        """Send for a while."""
        return {"network": sent_rate(self._together, self._address, _CONNECTIONS)}

    def close(self) -> None:
        """Let the threads go."""
        self._together.close()


_OURSELVES = ("localhost", "127.0.0.1", "::1")


def address_of(text: str) -> Address:
    """Return host and port of HOST:PORT, [HOST]:PORT or HOST.

    Examples:
        >>> address_of("node7:9000"), address_of("node7"), address_of("[::1]:9000")
        (('node7', 9000), ('node7', 7417), ('::1', 9000))
    """
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(f"'{text}' is not a host with a port. Write it as node7:{DEFAULT_PORT}.")
    return host, int(port)


def sent_rate(together: Together, address: Address, connections: int) -> float:
    """Return the bytes per second that some connections bring to a sink at once."""
    sockets = [_connected(address) for _ in range(connections)]
    counts: list[int] = []
    try:
        took_s = together.seconds([_sender(connection, address, counts) for connection in sockets])
    finally:
        for connection in sockets:
            connection.close()
    return sum(counts) / took_s


def _connected(address: Address) -> socket.socket:
    host, port = address
    try:
        connection = socket.create_connection(address, timeout=_WAIT_S)
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        raise UnmeasurableError(
            f"{host}:{port} cannot be reached ({why}). Run 'longpole machine serve' there."
        ) from error
    try:
        greeted = _received(connection, len(GREETING)) == GREETING
    except OSError:
        greeted = False
    if not greeted:
        connection.close()
        raise UnmeasurableError(f"What answers at {host}:{port} is not 'longpole machine serve'.")
    return connection


def _sender(connection: socket.socket, address: Address, counts: list[int]) -> Callable[[], None]:
    def send() -> None:
        piece, sent, until = bytes(PIECE), 0, time.perf_counter() + TRIAL_S
        while not sent or time.perf_counter() < until:
            connection.sendall(piece)
            sent += PIECE
        connection.shutdown(socket.SHUT_WR)
        _check_count(COUNT.unpack(_received(connection, COUNT.size))[0], sent, address)
        counts.append(sent)

    return send


def _check_count(arrived: int, sent: int, address: Address) -> None:
    """Hold what a sink has counted against what was sent."""
    if arrived != sent:
        host, port = address
        raise UnmeasurableError(
            f"What answers at {host}:{port} says that {arrived:,} of the {sent:,} bytes sent have arrived: "
            "is it 'longpole machine serve' of this version?"
        )


def _received(connection: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        more = connection.recv(size - len(got))
        if not more:
            raise ConnectionError("The connection was closed early.")
        got += more
    return got
