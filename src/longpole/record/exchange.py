"""Comparing the clocks of two hosts, by messages with the time of each: what puts their records on one axis.

Method: as in NTP. A message leaves at t0, arrives at t1 by the other clock, is answered at t2 and is back at
t3. The other clock is ahead by ((t1 - t0) + (t2 - t3)) / 2, and at most half of the time that the message was
under way is wrong with that, however it was spent. Of several messages the quickest is believed. All times
are of monotonic clocks, which nobody sets; that they drift apart shows when hosts compare again and again.
"""

from __future__ import annotations

import socket
import struct
from time import monotonic_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Clock = Callable[[], int]

TOKEN_BYTES = 16
_QUESTION = struct.Struct("<q")
_ANSWER = struct.Struct("<qq")
_MESSAGES = 12
_LIMIT_S = 2.0


class Comparison:
    """What one comparison found: at ``at``, by our clock, theirs showed ``theirs``, within ``error``."""

    __slots__ = ("at", "error", "theirs")

    def __init__(self, at: int, theirs: int, error: int) -> None:
        """Take nanoseconds of monotonic clocks."""
        self.at = at
        self.theirs = theirs
        self.error = error


def compare(address: tuple[str, int], token: bytes, clock: Clock = monotonic_ns) -> Comparison:
    """Compare our clock with that of whoever answers at an address.

    Raises:
        OSError: Nobody answers there, or not one who knows the token.
    """
    with socket.create_connection(address, _LIMIT_S) as stream:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream.sendall(token)
        return min((_ask(stream, clock) for _ in range(_MESSAGES)), key=lambda found: found.error)


def _ask(stream: socket.socket, clock: Clock) -> Comparison:
    left = clock()
    stream.sendall(_QUESTION.pack(left))
    arrived, answered = _ANSWER.unpack(_receive(stream, _ANSWER.size))
    back = clock()
    under_way = (back - left) - (answered - arrived)
    if under_way < 0:
        raise OSError("the other clock ran backwards")
    ahead = ((arrived - left) + (answered - back)) // 2
    at = (left + back) // 2
    return Comparison(at, at + ahead, under_way // 2 + 1)


def answer(stream: socket.socket, token: bytes, clock: Clock = monotonic_ns) -> None:
    """Tell whoever knows the token what our clock shows, as often as is asked.

    Raises:
        OSError: The other side has gone, or does not know the token.
    """
    with stream:
        stream.settimeout(_LIMIT_S)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if _receive(stream, TOKEN_BYTES) != token:
            raise OSError("a stranger")
        for _ in range(_MESSAGES):
            _receive(stream, _QUESTION.size)
            arrived = clock()
            stream.sendall(_ANSWER.pack(arrived, clock()))


def _receive(stream: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = stream.recv(size - len(data))
        if not piece:
            raise ConnectionResetError("the other side has gone")
        data += piece
    return data


def listen() -> socket.socket:
    """Return a socket at which others can compare clocks with us.

    Raises:
        OSError: None may be opened.
    """
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        server.bind(("", 0))
        server.listen(64)
    except OSError:
        server.close()
        raise
    return server


def addresses() -> list[str]:
    """Return by which names and addresses others may reach this host, the likeliest first."""
    name = socket.gethostname()
    found = [name, _outward_address()]
    try:
        found += [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, socket.AF_INET)]
    except OSError:
        pass  # a host that does not know its own name
    return list(dict.fromkeys(filter(None, found)))


def _outward_address() -> str:
    """Return the address that messages to others would leave from; none is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return ""
