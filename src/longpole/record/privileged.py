"""What an agent can see only by permission: opened for it before anything runs."""

from __future__ import annotations

from longpole.record.taskstats import open_exit_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.assignment import Assignment


def let_see_exits(assignment: Assignment) -> None:
    """Let the agent see every end of a process; what an ordinary user's cannot, the run shows as unseen."""
    try:
        assignment.exit_records = open_exit_records()
    except OSError:
        pass  # not permitted


def let_see_opens(assignment: Assignment) -> list[str]:
    """Let the agent see which files are opened; return what could not be, in a few words."""
    from longpole.record.samplers.files import watch_opens

    try:
        assignment.opens = watch_opens()
    except OSError as error:
        return [f"--files was left out: fanotify is not permitted ({error.strerror})"]
    return []
