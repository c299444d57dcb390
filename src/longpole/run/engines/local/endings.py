"""How tasks end that do not end well, in words."""

from __future__ import annotations

import os
import signal

from longpole.errors import LongpoleError
from longpole.run.engines.local.short_jobs import Answer
from longpole.run.engines.opened import Execution
from longpole.run.messages import Verdict
from longpole.run.orders import TaskOrder
from longpole.units import Bytes, show_bytes

_NOT_EXECUTABLE, _NOT_FOUND = 126, 127


def how_it_ended(status: int) -> str:
    """Return how a process ended, as a sentence; nothing if it ended well.

    Examples:
        >>> how_it_ended(0), how_it_ended(256), how_it_ended(9)
        ('', 'It ended with exit code 1.', 'It was killed by SIGKILL.')
    """
    if not status:
        return ""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        known = number in set(signal.Signals)
        return f"It was killed by {signal.Signals(number).name if known else f'signal {number}'}."
    code = os.waitstatus_to_exitcode(status)
    if code == _NOT_FOUND:
        return "It ended with exit code 127: a command was not found."
    if code == _NOT_EXECUTABLE:
        return "It ended with exit code 126: a command could not be executed."
    return f"It ended with exit code {code}."


def judge_short(order: TaskOrder, answer: Answer, execution: Execution) -> tuple[Verdict, str]:
    """Return how a job went that a worker has done, and why it failed."""
    if execution.verdict is not Verdict.OK or answer.stopped:
        return Verdict.STOPPED, execution.cause or "It was stopped."
    if answer.trouble:
        number = answer.trouble
        return Verdict.FAILED, why_not_started(order, OSError(number, os.strerror(number)))
    if answer.status:
        return Verdict.FAILED, how_it_ended(answer.status)
    if answer.missing:
        return Verdict.FAILED, not_made(answer.missing)
    return Verdict.OK, ""


def not_made(name: str) -> str:
    """Return that a task has not made an output, as a sentence."""
    return f"It ended well, but did not make '{name}', which it declares as an output."


def why_not_started(order: TaskOrder, error: Exception) -> str:
    """Return why a task could not be started, as a sentence."""
    if isinstance(error, LongpoleError):
        return str(error)
    program = order.arguments[0] if order.arguments else order.name
    if isinstance(error, FileNotFoundError):
        return f"Its command '{program}' was not found."
    if isinstance(error, PermissionError):
        return f"Its command '{program}' may not be executed."
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"It could not be started: {reason}."


def out_of_memory(order: TaskOrder, peak: Bytes | None) -> str:
    """Return that a task ran out of memory, as a sentence."""
    allowed = show_bytes(order.memory_bytes or 0)
    used = f", and used {show_bytes(peak)}" if peak else ""
    return (
        f"It ran out of memory: it may use {allowed}{used}. Raise 'memory', or add 'retry: {{memory: x2}}'."
    )
