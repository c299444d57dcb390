"""A task that failed for good: all that its user needs to see why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FailedTask:
    """Why a task failed.

    Attributes:
        task: What it is called.
        attempt: Which try this was, from 1.
        cause: A sentence.
        command: What was executed; empty for what the runner itself does.
        output: The file with what it printed; empty if it printed nothing.
        last_lines: The last lines of that.
        folder: Its folder, which was left as it was; empty if it had none.
        skipped: How many tasks will not run because of it, as far as that was counted.
    """

    task: str
    attempt: int
    cause: str
    command: str = ""
    output: str = ""
    last_lines: tuple[str, ...] = ()
    folder: str = ""
    skipped: int = 0
