"""What recording processes that already run leaves out: sentences for a person to judge by."""

from __future__ import annotations

from collections.abc import Iterator


def before_attaching(attached: int) -> Iterator[str]:
    """Yield what is not in the run because so many of its processes ran before it began."""
    if attached == 1:
        yield (
            "Recording was attached to a process that already ran: what it did before is not here, "
            "nor its exit code, nor any phases."
        )
    elif attached:
        yield (
            f"Recording was attached to {attached:,} processes that already ran: what they did before is not "
            "here, nor their exit codes, nor any phases."
        )


def attached_totals(attached: int) -> Iterator[str]:
    """Yield how far the totals of such a run can be believed."""
    if attached:
        yield (
            "Totals are sampled, and counted from the moment of attaching: "
            "what came after the last sample of a process is missing."
        )
