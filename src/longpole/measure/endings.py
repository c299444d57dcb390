"""Signals that ask us to end while files of ours are about: they become an exception, so that all is removed.

What cannot be caught (SIGKILL, a machine that loses power) ends us with files where they are. A signal that
was ignored before, as ``nohup`` has it for SIGHUP, stays ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def orderly_endings() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise ``SystemExit`` meanwhile; in the main thread, which alone has signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    heeded = [number for number, was in before.items() if was not in (signal.SIG_IGN, None)]
    try:
        for number in heeded:
            signal.signal(number, _end)
        yield
    finally:
        for number in heeded:
            signal.signal(number, before[number])


def _end(number: int, _frame: FrameType | None) -> None:
    for one in _ENDING:  # a second one must not break off what the first began
        signal.signal(one, signal.SIG_IGN)
    raise SystemExit(128 + number)
