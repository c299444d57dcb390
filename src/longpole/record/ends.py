"""Waiting for processes that are no children of ours, for a signal, or for the end of the agent.

A descriptor of a process becomes readable when it ends, so nothing has to be done meanwhile; a kernel before
5.3 has none, and there we look twice a second. Signals come through a pipe, since only descriptors can be
waited for together.
"""

from __future__ import annotations

import os
import select

from longpole.record.proc import lives

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal

    from longpole.record.reaper import Reaper
    from longpole.record.targets import Target
else:
    import _signal as signal  # the bare module: ``signal`` makes enums, which takes longer than the rest

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_LOOK_MS = 500


def wait_for_end(targets: tuple[Target, ...], reaper: Reaper) -> None:
    """Wait until all have ended, somebody has had enough, or the agent is gone."""
    signals = _signals()
    waiting = select.poll()
    waiting.register(signals, select.POLLIN)
    watched = _watch(targets, waiting)
    limit_ms = None if len(watched) == len(targets) else _LOOK_MS
    left = set(targets)
    while left := {target for target in left if lives(target.pid, target.start_ticks)}:
        for descriptor, _ in waiting.poll(limit_ms):
            if descriptor != signals:
                left.discard(watched[descriptor])
                waiting.unregister(descriptor)
            elif _is_over(os.read(signals, 64), reaper):
                return


def _signals() -> int:
    """Return a descriptor that gives the numbers of signals; those ignored so far, as by nohup, stay so."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    heard = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]
    for number in (*heard, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [*heard, signal.SIGCHLD])
    return reading


def _watch(targets: tuple[Target, ...], waiting: select.poll) -> dict[int, Target]:
    """Let the end of processes end the waiting; return those by their descriptors."""
    watched = {}
    for target in targets:
        try:
            watched[os.pidfd_open(target.pid)] = target
        except OSError:
            continue  # it has just ended, or there are no such descriptors
    for descriptor in watched:
        waiting.register(descriptor, select.POLLIN)
    return watched


def _is_over(numbers: bytes, reaper: Reaper) -> bool:
    reaper.reap()
    return reaper.agent_status is not None or any(number in STOPS for number in numbers)
