"""Warm workers: forked processes that answer requests on a socket, and are replaced if they die.

A request and an answer are bytes behind their length. Each worker has one request at a time, and may have a
few more on their way, so that it need not wait for us between two. A worker that is forked later must not
hold the sockets of earlier ones, else their end would never be seen.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterator
from typing import NoReturn

from longpole.record.kernel import die_with_parent

_LENGTH = struct.Struct("<I")
_BLOCK = 1 << 18
Serve = Callable[[bytes], bytes]

_every: set[socket.socket] = set()


class Worker:
    """One warm process."""

    def __init__(self, serve: Callable[[], Serve]) -> None:
        """Fork it; ``serve`` is called there, once, and returns what answers requests."""
        self.socket, theirs = socket.socketpair()
        _every.update((self.socket, theirs))
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _be_worker(theirs, parent, serve)
        theirs.close()
        _every.discard(theirs)
        self.socket.setblocking(False)
        self.asked: deque[tuple[int, bytes]] = deque()
        self._received = bytearray()

    def ask(self, key: int, request: bytes) -> None:
        """Send a request; its answer will come under the key."""
        self.asked.append((key, request))
        self.socket.setblocking(True)
        try:
            self.socket.sendall(_LENGTH.pack(len(request)) + request)
        except OSError:
            pass  # it has died: that will be seen when it is read from
        self.socket.setblocking(False)

    def answers(self) -> Iterator[tuple[int, bytes]]:
        """Yield all answers that have come."""
        self._receive()
        data, at = self._received, 0
        while len(data) >= at + _LENGTH.size:
            (length,) = _LENGTH.unpack_from(data, at)
            if len(data) < at + _LENGTH.size + length:
                break
            at += _LENGTH.size
            yield self.asked.popleft()[0], bytes(data[at : at + length])
            at += length
        del data[:at]

    def close(self) -> None:
        """Let it end."""
        _every.discard(self.socket)
        self.socket.close()

    def _receive(self) -> None:
        while True:
            try:
                some = self.socket.recv(_BLOCK)
            except (BlockingIOError, ConnectionError):
                return
            if not some:
                return  # it has ended, which the reaper sees
            self._received += some
            if len(some) < _BLOCK:
                return


class Crew:
    """So many workers of one kind, forked when they are first needed.

    Attributes:
        workers: They by their pids.
        descriptors: They by what is to be watched for answers.
    """

    def __init__(self, serve: Callable[[], Serve], count: int, ahead: int = 1) -> None:
        """Take what answers requests, how many workers there are, and how many requests each has at most."""
        self._serve = serve
        self._count = count
        self._ahead = ahead
        self._waiting: deque[tuple[int, bytes]] = deque()
        self.workers: dict[int, Worker] = {}
        self.descriptors: dict[int, Worker] = {}

    def ask(self, key: int, request: bytes) -> None:
        """Let a request be answered by whoever is free first."""
        self._waiting.append((key, request))
        self._hand_out()

    def take(self, key: int) -> bool:
        """Take a request back that no worker has yet; return whether that could be done."""
        for pair in self._waiting:
            if pair[0] == key:
                self._waiting.remove(pair)
                return True
        return False

    def worker_of(self, key: int) -> Worker | None:
        """Return who is busy with a request."""
        busy = (worker for worker in self.workers.values() if worker.asked and worker.asked[0][0] == key)
        return next(busy, None)

    def unbegun(self) -> set[int]:
        """Return the keys of requests that wait behind others."""
        behind = (key for worker in self.workers.values() for key, _ in list(worker.asked)[1:])
        return {*behind, *(key for key, _ in self._waiting)}

    def answers(self, worker: Worker) -> list[tuple[int, bytes, int]]:
        """Return the answers of a worker: the key of each, the answer, and the worker's pid."""
        found = [(key, answer, worker.pid) for key, answer in worker.answers()]
        self._hand_out()
        return found

    def lost(self, pid: int) -> int | None:
        """Take note that a process has ended; return the key of what it was busy with, if it was one of us.

        What it had not begun is asked again.
        """
        worker = self.workers.pop(pid, None)
        if worker is None:
            return None
        del self.descriptors[worker.socket.fileno()]
        worker.close()
        busy = worker.asked.popleft()[0] if worker.asked else None
        self._waiting.extendleft(reversed(worker.asked))
        self._hand_out()
        return busy

    def close(self) -> None:
        """Let all workers end; whoever still works is killed."""
        for worker in self.workers.values():
            worker.close()
            if worker.asked:
                os.kill(worker.pid, signal.SIGKILL)
        for pid in self.workers:
            os.waitpid(pid, 0)
        self.workers, self.descriptors = {}, {}

    def _hand_out(self) -> None:
        while self._waiting:
            worker = self._idlest()
            if worker is None:
                return
            worker.ask(*self._waiting.popleft())

    def _idlest(self) -> Worker | None:
        idle = min(self.workers.values(), key=lambda worker: len(worker.asked), default=None)
        if (idle is None or idle.asked) and len(self.workers) < self._count:
            idle = Worker(self._serve)
            self.workers[idle.pid] = idle
            self.descriptors[idle.socket.fileno()] = idle
        return idle if idle is not None and len(idle.asked) < self._ahead else None


def _be_worker(ours: socket.socket, parent: int, serve: Callable[[], Serve]) -> NoReturn:
    """Answer requests until there are no more."""
    code = 1
    try:
        die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.setpgid(0, 0)
        for other in _every - {ours}:
            other.close()
        _answer_all(ours, serve())
        code = 0
    finally:
        os._exit(code)


def _answer_all(ours: socket.socket, serve: Serve) -> None:
    received = bytearray()
    while True:
        some = ours.recv(_BLOCK)
        if not some:
            return
        received += some
        while len(received) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
            if len(received) < end:
                break
            answer = serve(bytes(received[_LENGTH.size : end]))
            del received[:end]
            ours.sendall(_LENGTH.pack(len(answer)) + answer)
