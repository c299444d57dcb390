"""Requests to the kernel that Python has no call for."""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the bare module: ``signal`` makes enums, which takes longer than the rest

_SET_DEATH_SIGNAL = 1
_SET_SUBREAPER = 36


def become_subreaper() -> None:
    """Let orphans of this process's descendants fall to it, so that their totals are not lost."""
    _prctl(_SET_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent dies; if it has died already, die now."""
    _signal_with_parent(parent, signal.SIGKILL)


def stop_with_parent(parent: int) -> None:
    """Be asked to stop when the parent dies; if it has died already, now."""
    _signal_with_parent(parent, signal.SIGTERM)


def _signal_with_parent(parent: int, number: int) -> None:
    _prctl(_SET_DEATH_SIGNAL, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, ctypes.c_ulong(value), 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
