"""Asking crews: which request went to which crew, and who hears the answer.

A request has one answer: what a worker says, or nothing, if the worker that was busy with it has died. One
that was taken back has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, KeysView

from longpole.run.engines.local.crew import Crew

Hear = Callable[[bytes, int], None]
"""Hears an answer, empty if the worker has died, and the pid of the worker."""


class Asking:
    """Requests to the crews of one engine."""

    def __init__(self) -> None:
        """Begin with no crew."""
        self._crews: dict[int, Crew] = {}
        self._open: dict[int, tuple[Crew, Hear]] = {}
        self._keys = 0

    @property
    def descriptors(self) -> KeysView[int]:
        """What is to be watched for answers."""
        return self._crews.keys()

    def join(self, crew: Crew) -> None:
        """Take in a crew; all are heard and closed in the order in which they came."""
        self._crews[crew.fileno()] = crew

    def ask(self, crew: Crew, request: bytes, then: Hear) -> int:
        """Ask a crew that has joined; return the key of the request.

        Raises:
            OSError: No worker can be forked, or there is no room for the request; nobody hears of it.
        """
        self._keys += 1
        crew.ask(self._keys, request)
        self._open[self._keys] = crew, then
        return self._keys

    def hear(self, descriptors: Iterable[int]) -> None:
        """Hand on the answers of crews, by what is watched of them."""
        for descriptor in descriptors:
            self._hear(self._crews[descriptor])

    def lost(self, pid: int) -> None:
        """Take note that a process has ended, which may be a worker."""
        for crew in self._crews.values():
            self._hear(crew)  # what it has answered before it died
            key = crew.lost(pid)
            if key is not None:
                self._open.pop(key)[1](b"", pid)

    def take_back(self, key: int) -> bool:
        """Take a request back that no worker has yet: nobody hears of it; return whether that was done."""
        taken = self._open[key][0].take(key)
        if taken:
            del self._open[key]
        return taken

    def worker_of(self, key: int) -> int:
        """Return the pid of who is busy with a request; 0 if nobody is."""
        return self._open[key][0].worker_of(key)

    def close(self) -> None:
        """Let all workers end; whoever still works is killed."""
        for crew in self._crews.values():
            crew.close()

    def _hear(self, crew: Crew) -> None:
        for key, answer, pid in crew.answers():
            self._open.pop(key)[1](answer, pid)
