"""Waiting for the command: reap, pass signals on, and know when it is over.

Signals that the terminal sends reach the command by itself, since it shares our process group; those sent
to the launcher alone are passed on. All of them are blocked here and taken one by one, so nothing runs in
a signal handler.
"""

from __future__ import annotations

import os
from time import monotonic

from longpole.record.command import Inherited
from longpole.record.reaper import children_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable

    from longpole.record.reaper import Reaper
else:
    import _signal as signal  # the bare module: ``signal`` makes enums, which takes longer than the rest

PASSED_ON = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2),
    *(signal.SIGALRM, signal.SIGWINCH, signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGPWR),
)
TAKEN = (*PASSED_ON, signal.SIGCHLD)

_SENT_BY_KERNEL = 0x80
_SAY_AFTER_S = 1.0


def take_signals() -> Inherited:
    """Hold all signals we take; return how things were, for the command.

    A parent may have let us ignore SIGCHLD, with which no child could ever be waited for.
    """
    mask = {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, TAKEN)}
    ignored = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return Inherited(mask, child_ignored=ignored)


class Watch:
    """Follows one command to its end."""

    def __init__(self, root: int, reaper: Reaper) -> None:
        """Watch ``root``, a child of this process."""
        self.root = root
        self.status: int | None = None
        self._reaper = reaper

    def until_end(self, look: Callable[[], float] | None = None) -> int:
        """Return the wait status of the command, once it has ended.

        Args:
            look: Called now and then; returns in how many seconds it wishes to be called again.
        """
        self._reap()
        while self.status is None:
            info = signal.sigtimedwait(TAKEN, look()) if look else signal.sigwaitinfo(TAKEN)
            if info is None:
                continue
            if info.si_signo == signal.SIGCHLD:
                self._reap()
                self._stop_as_command()
            elif info.si_code != _SENT_BY_KERNEL or _sent_to_us_alone(info.si_signo):
                self._pass_on(info.si_signo)
        return self.status

    def linger(self, limit_s: float, say: Callable[[int], None]) -> int:
        """Wait for processes the command has left behind, for a while; return how many are still there."""
        began, said = monotonic(), False
        while self._left():
            waited = monotonic() - began
            if waited >= limit_s:
                break
            if waited >= _SAY_AFTER_S and not said:
                say(len(self._left()))
                said = True
            info = signal.sigtimedwait(TAKEN, min(0.1, limit_s - waited))
            if info is not None and info.si_signo in (
                signal.SIGINT,
                signal.SIGTERM,
                signal.SIGHUP,
                signal.SIGQUIT,
            ):
                break
            self._reap()
        for pid in self._left():
            self._reaper.note_living(pid)
        return len(self._left())

    def _left(self) -> list[int]:
        return [pid for pid in children_of(os.getpid()) if pid != self._reaper.agent]

    def _reap(self) -> None:
        for pid, status in self._reaper.reap():
            if pid == self.root:
                self.status = status

    def _stop_as_command(self) -> None:
        """Stop when the command has stopped itself, so that the user's shell gives its prompt back."""
        if self.status is None and has_stopped(self.root) and _in_foreground():
            os.kill(os.getpid(), signal.SIGSTOP)
            self._pass_on(signal.SIGCONT)

    def _pass_on(self, number: int) -> None:
        try:
            os.kill(self.root, number)
        except ProcessLookupError:
            pass  # it has just ended


def has_stopped(pid: int) -> bool:
    """Return whether a child has been stopped since we last asked."""
    try:
        return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG) is not None
    except ChildProcessError:
        return False


def _in_foreground() -> bool:
    """Return whether a shell with job control waits for us at a terminal."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _sent_to_us_alone(number: int) -> bool:
    """Return whether the kernel has told only us: a terminal's hang-up goes to the leader of its session."""
    return number == signal.SIGHUP and os.getsid(0) == os.getpid()


def end_as(status: int) -> int:
    """End as the command ended: by its signal, or with its exit code, which is returned."""
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    import resource

    number = os.WTERMSIG(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the command has left its own core, if any
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    return 128 + number
