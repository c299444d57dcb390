"""The kernel's taskstats over netlink: registering for exit records, and taking messages apart."""

from __future__ import annotations

import _socket  # the bare module: ``socket`` would double the start-up of the launcher
import os
import struct

_NETLINK, _GENERIC, _CONTROLLER = 16, 16, 16
_GET_FAMILY, _FAMILY_ID, _FAMILY_NAME = 3, 1, 2
_REGISTER, _STATS, _ONE_TASK = 3, 3, 4
_REQUEST, _ACKNOWLEDGE, _ERROR = 1, 4, 2
_ANSWER_LIMIT_S = 0.3
_MOST_BEFORE_ANSWER = 10_000
_RECEIVE_BUFFER_FORCE, _RECEIVE_BUFFER = 33, 16 << 20
_OLDEST_VERSION = 12
_SMALLEST = 384
# Where the first record lies in a message of today's kernels; elsewhere it is searched for.
_USUAL_PLACE = 32
_HEAD = struct.Struct("<HH")


def open_exit_records() -> _socket.socket:
    """Ask the kernel for the exit records of this host.

    Raises:
        OSError: Not permitted, or not in this kernel.
    """
    stream = _socket.socket(_NETLINK, _socket.SOCK_RAW, _GENERIC)
    try:
        stream.bind((0, 0))
        stream.settimeout(_ANSWER_LIMIT_S)
        _register(stream)
        _widen(stream)
    except OSError:
        stream.close()
        raise
    stream.setblocking(False)
    return stream


def _register(stream: _socket.socket) -> None:
    name = _attribute(_FAMILY_NAME, b"TASKSTATS\0")
    _send(stream, _CONTROLLER, _REQUEST, 1, struct.pack("<BBH", _GET_FAMILY, 1, 0) + name)
    family = _family(_answer(stream, 1))
    cpus = _attribute(_REGISTER, f"0-{(os.cpu_count() or 1) - 1}\0".encode())
    _send(stream, family, _REQUEST | _ACKNOWLEDGE, 2, struct.pack("<BBH", 1, 1, 0) + cpus)
    reply = _answer(stream, 2, only=_ERROR)
    number = -struct.unpack_from("<i", reply, 16)[0]
    if number:
        raise OSError(number, os.strerror(number))


def _widen(stream: _socket.socket) -> None:
    """Ask for a buffer that holds the records of thousands of processes."""
    try:
        stream.setsockopt(_socket.SOL_SOCKET, _RECEIVE_BUFFER_FORCE, _RECEIVE_BUFFER)
    except OSError:
        stream.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVBUF, _RECEIVE_BUFFER)


def _send(stream: _socket.socket, family: int, flags: int, number: int, body: bytes) -> None:
    stream.send(struct.pack("<IHHII", 16 + len(body), family, flags, number, 0) + body)


def _answer(stream: _socket.socket, number: int, only: int = 0) -> bytes:
    """Return the answer to a request, past exit records that come before it.

    Raises:
        OSError: None came in time; nothing must ever wait for the kernel here.
    """
    for _ in range(_MOST_BEFORE_ANSWER):
        reply = stream.recv(65536)
        kind, _, answered = struct.unpack_from("<HHI", reply, 4)
        if answered == number and (kind == only or (not only and kind in (_ERROR, _CONTROLLER))):
            return reply
    raise OSError("the kernel did not answer")


def task_records(message: bytes) -> list[memoryview]:
    """Return the per-thread records of one message of the kernel."""
    view = memoryview(message)
    if len(view) > _USUAL_PLACE and _HEAD.unpack_from(view, _USUAL_PLACE)[1] == _STATS:
        length = _HEAD.unpack_from(view, _USUAL_PLACE)[0]
        stats = view[_USUAL_PLACE + 4 : _USUAL_PLACE + length]
        if len(stats) == length - 4 >= _SMALLEST and stats[0] >= _OLDEST_VERSION:
            return [stats]
    return _search_records(view)


def _search_records(view: memoryview) -> list[memoryview]:
    found = []
    for kind, body in _attributes(view[20:]):
        if kind == _ONE_TASK:
            found += [stats for inner, stats in _attributes(body) if inner == _STATS]
    return [one for one in found if len(one) >= _SMALLEST and one[0] >= _OLDEST_VERSION]


def _attributes(view: memoryview) -> list[tuple[int, memoryview]]:
    found = []
    at = 0
    while at + 4 <= len(view):
        length, kind = struct.unpack_from("<HH", view, at)
        if length < 4:
            break
        found.append((kind, view[at + 4 : at + length]))
        at += (length + 3) & ~3
    return found


def _attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


def _family(reply: bytes) -> int:
    if struct.unpack_from("<H", reply, 4)[0] == _ERROR:
        number = -struct.unpack_from("<i", reply, 16)[0]
        raise OSError(number, os.strerror(number))
    for kind, body in _attributes(memoryview(reply)[20:]):
        if kind == _FAMILY_ID:
            return int.from_bytes(body[:2], "little")
    raise OSError("the kernel has no taskstats")
