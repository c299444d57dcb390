"""The same work on several parts at once, in processes, since Python does one thing at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from longpole.record.kernel import die_with_parent

_Part = TypeVar("_Part")


def cores() -> int:
    """Return how many cores this process may use; 1 if it has threads, and must not fork."""
    return len(os.sched_getaffinity(0)) if threading.active_count() == 1 else 1


def on_each(work: Callable[[_Part], bytes], parts: Sequence[_Part]) -> list[bytes]:
    """Do work on all parts, one here and each other in a process of its own; return what came, in order.

    A process that dies brings nothing: its part is done here then. The work may be done twice for that.
    """
    others = [_forked(work, part) for part in parts[1:]]
    found = [work(part) for part in parts[:1]]
    for part, (pid, reader) in zip(parts[1:], others, strict=True):
        with open(reader, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(pid, 0)
        found.append(answer if status == 0 else work(part))
    return found


def _forked(work: Callable[[_Part], bytes], part: _Part) -> tuple[int, int]:
    reader, writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        die_with_parent(parent)
        os.close(reader)
        with open(writer, "wb") as pipe:
            pipe.write(work(part))
        os._exit(0)
    finally:
        os._exit(1)
