"""Warm workers: forked processes that take requests from one queue, and are replaced if they die.

The queue is a socket that all workers of a crew read from: the kernel gives each message to one that is free,
so that nothing waits behind a long request while another worker is idle, and a few requests may wait there
without our doing. In a shared page each worker says what it is busy with: who dies is known by that. Messages
that are too large for a socket go through files. A worker must not hold our ends of any crew's sockets, else
their end would never be seen.
"""

from __future__ import annotations

import mmap
import os
import signal
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from longpole.record.kernel import die_with_parent

Serve = Callable[[bytes], bytes]
Tell = Callable[[int, int], None]
"""With it a worker says which process it has started for a request, and when."""

# Which request, and who answers it; then the bytes, or the name of a file that holds them.
_HEAD = struct.Struct("<QIB")
_LARGE_BYTES = 1 << 16
_MESSAGE_BYTES = _LARGE_BYTES + _HEAD.size
# What a worker is busy with, the process it has started for that, and when.
_KEY = struct.Struct("<Q")
_STARTED = struct.Struct("<QQ")
_PLACE_BYTES = _KEY.size + _STARTED.size
# Within this time a worker has said which request it has taken.
_TAKING_S = 0.05
_ours: set[socket.socket] = set()


class Crew:
    """So many workers of one kind, forked when they are first needed."""

    def __init__(self, serve: Callable[[Tell], Serve], count: int, folder: str) -> None:
        """Take what answers requests, how many workers there are, and a folder for large messages.

        Args:
            serve: Called once in each worker, with what tells us of processes; returns what answers requests.
            count: How many workers there are at most.
            folder: Where messages go that are too large for a socket.
        """
        self._serve, self._count, self._folder = serve, count, folder
        self._asking, self._asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._hearing, self._telling = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        _ours.update((self._asking, self._hearing))
        self._asking.setblocking(False)
        self._hearing.setblocking(False)
        self._busy = mmap.mmap(-1, _PLACE_BYTES * count)
        self._places: dict[int, int] = {}
        self._waiting: deque[bytes] = deque()
        self._open: dict[int, bytes] = {}

    def __len__(self) -> int:
        """Return how many requests have no answer yet."""
        return len(self._open)

    @property
    def pids(self) -> list[int]:
        """The workers there are; each leads a process group."""
        return list(self._places)

    def fileno(self) -> int:
        """Return what is to be watched for answers."""
        return self._hearing.fileno()

    def ask(self, key: int, request: bytes) -> None:
        """Let a request be answered by whoever is free first.

        Raises:
            OSError: No worker can be forked, or there is no room for the request; it is forgotten.
        """
        message = _message(key, request, self._folder)
        if len(self._places) < min(self._count, len(self._open) + 1):
            self._fork()
        self._open[key] = message
        self._waiting.append(message)
        self._send()

    def answers(self) -> list[tuple[int, bytes, int]]:
        """Return all answers that have come: the key of each, the answer, and who gave it."""
        found = []
        while True:
            try:
                message = self._hearing.recv(_MESSAGE_BYTES)
            except BlockingIOError:
                break
            key, pid, content = _content(message)
            if self._open.pop(key, None) is not None:
                found.append((key, content, pid))
        self._send()
        return found

    def take(self, key: int) -> bool:
        """Take a request back that no worker has yet; return whether that could be done."""
        self._take_back()
        kept = deque(message for message in self._waiting if _key_of(message) != key)
        found = len(kept) < len(self._waiting)
        self._waiting = kept
        if found:
            _forget(self._open.pop(key))
        self._send()
        return found

    def worker_of(self, key: int) -> int:
        """Return the pid of who is busy with a request; 0 if nobody is."""
        return next((pid for pid, place in self._places.items() if self._key_at(place) == key), 0)

    def started_for(self, key: int) -> tuple[int, int]:
        """Return the process that was started for a request, and when; zeros if none was."""
        for place in self._places.values():
            if self._key_at(place) == key:
                pid, start_ns = _STARTED.unpack_from(self._busy, place * _PLACE_BYTES + _KEY.size)
                return (pid, start_ns) if self._key_at(place) == key else (0, 0)
        return 0, 0

    def unbegun(self) -> set[int]:
        """Return the keys of requests that no worker is busy with yet."""
        return self._open.keys() - {self._key_at(place) for place in self._places.values()}

    def lost(self, pid: int) -> int | None:
        """Take note that a process has ended; return the key that it leaves without an answer, if any."""
        place = self._places.pop(pid, None)
        if place is None:
            return None
        key = self._key_at(place)
        _KEY.pack_into(self._busy, place * _PLACE_BYTES, 0)
        if not key and self._open:
            self._ask_again()
        if len(self._places) < min(self._count, len(self._open)):
            self._fork()
        return key if self._open.pop(key, None) is not None else None

    def _ask_again(self) -> None:
        """Ask again what a worker had taken, but not yet said so, when it died.

        Another worker may have taken one in this moment, and says so in the next: hence the wait.
        """
        time.sleep(_TAKING_S)
        self._take_back()
        there = {_key_of(message) for message in self._waiting}
        there.update(self._key_at(place) for place in self._places.values())
        self._waiting.extend(self._open[key] for key in self._open.keys() - there)
        self._send()

    def _take_back(self) -> None:
        """Take everything out of the queue that no worker has taken."""
        back: deque[bytes] = deque()
        while True:
            try:
                back.append(self._asked.recv(_MESSAGE_BYTES, socket.MSG_DONTWAIT))
            except BlockingIOError:
                break
        self._waiting.extendleft(reversed(back))

    def kill(self) -> None:
        """End all workers that are busy: what they do gets no answer."""
        for pid, place in self._places.items():
            if self._key_at(place):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """Let all workers end; whoever still works is killed."""
        for ours in (self._asking, self._hearing):
            _ours.discard(ours)
            ours.close()
        self._asked.close()
        self._telling.close()
        self.kill()
        for pid in self._places:
            os.waitpid(pid, 0)
        self._places = {}

    def _send(self) -> None:
        """Put into the queue what it has room for."""
        try:
            while self._waiting:
                self._asking.send(self._waiting[0])
                self._waiting.popleft()
        except BlockingIOError:
            pass  # the rest when answers have made room

    def _fork(self) -> None:
        taken = set(self._places.values())
        place = next(place for place in range(self._count) if place not in taken)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # else both would write it
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._be_worker(parent, place)
        self._places[pid] = place

    def _key_at(self, place: int) -> int:
        return int(_KEY.unpack_from(self._busy, place * _PLACE_BYTES)[0])

    def _be_worker(self, parent: int, place: int) -> NoReturn:
        """Answer requests until there are no more."""
        code = 1
        try:
            die_with_parent(parent)
            _be_apart()
            for ours in _ours:
                ours.close()
            at = place * _PLACE_BYTES
            self._answer_all(self._serve(lambda *started: self._tell(at, started)), at)
            code = 0
        finally:
            os._exit(code)

    def _tell(self, at: int, started: tuple[int, int]) -> None:
        _STARTED.pack_into(self._busy, at + _KEY.size, *started)

    def _answer_all(self, serve: Serve, at: int) -> None:
        pid, busy = os.getpid(), self._busy
        while message := self._asked.recv(_MESSAGE_BYTES):
            _STARTED.pack_into(busy, at + _KEY.size, 0, 0)
            _KEY.pack_into(busy, at, _key_of(message))
            key, _, content = _content(message)
            self._telling.send(_message(key, serve(content), self._folder, pid))
            _KEY.pack_into(busy, at, 0)


def _be_apart() -> None:
    """Take signals as any process does, but for those that a terminal sends to all."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    os.setpgid(0, 0)


def _message(key: int, content: bytes, folder: str, pid: int = 0) -> bytes:
    if len(content) <= _LARGE_BYTES:
        return _HEAD.pack(key, pid, 0) + content
    path = os.path.join(folder, f".message-{os.getpid()}-{key}")
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError:
        with suppress(OSError):
            os.unlink(path)  # a part of it would only take room
        raise
    return _HEAD.pack(key, pid, 1) + os.fsencode(path)


def _key_of(message: bytes) -> int:
    return int(_HEAD.unpack_from(message)[0])


def _forget(message: bytes) -> None:
    """Remove the file of a message that nobody will read."""
    if _HEAD.unpack_from(message)[2]:
        os.unlink(os.fsdecode(message[_HEAD.size :]))


def _content(message: bytes) -> tuple[int, int, bytes]:
    key, pid, in_file = _HEAD.unpack_from(message)
    content = message[_HEAD.size :]
    if in_file:
        path = os.fsdecode(content)
        with open(path, "rb") as file:
            content = file.read()
        os.unlink(path)
    return key, pid, content
