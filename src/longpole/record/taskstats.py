"""The kernel's taskstats over netlink: registering for exit records, and taking messages apart."""

from __future__ import annotations

import _socket  # the bare module: ``socket`` would double the start-up of the launcher
import os
import struct

_NETLINK, _GENERIC, _CONTROLLER = 16, 16, 16
_GET_FAMILY, _FAMILY_ID, _FAMILY_NAME = 3, 1, 2
_REGISTER, _STATS, _ONE_TASK, _WANT_REPLY = 3, 3, 4, 5
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
    stream.bind((0, 0))
    family = _family(_ask(stream, _CONTROLLER, _GET_FAMILY, _attribute(_FAMILY_NAME, b"TASKSTATS\0")))
    stream.recv(65536)  # the acknowledgement that follows the answer
    cpus = f"0-{(os.cpu_count() or 1) - 1}\0".encode()
    reply = _ask(stream, family, 1, _attribute(_REGISTER, cpus))
    number = -struct.unpack_from("<i", reply, 16)[0]
    if number:
        raise OSError(number, os.strerror(number))
    try:
        stream.setsockopt(_socket.SOL_SOCKET, _RECEIVE_BUFFER_FORCE, _RECEIVE_BUFFER)
    except OSError:
        stream.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVBUF, _RECEIVE_BUFFER)
    stream.setblocking(False)
    return stream


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


def _ask(stream: _socket.socket, family: int, command: int, payload: bytes) -> bytes:
    body = struct.pack("<BBH", command, 1, 0) + payload
    stream.send(struct.pack("<IHHII", 16 + len(body), family, _WANT_REPLY, 1, 0) + body)
    return stream.recv(65536)


def _family(reply: bytes) -> int:
    if struct.unpack_from("<H", reply, 4)[0] == 2:
        number = -struct.unpack_from("<i", reply, 16)[0]
        raise OSError(number, os.strerror(number))
    for kind, body in _attributes(memoryview(reply)[20:]):
        if kind == _FAMILY_ID:
            return int.from_bytes(body[:2], "little")
    raise OSError("the kernel has no taskstats")
