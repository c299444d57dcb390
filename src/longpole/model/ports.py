"""What we need of parts that can be exchanged, each promise written down."""

from __future__ import annotations

from typing import Protocol


class Source(Protocol):
    """Something an agent reads regularly: the processes, the host, the GPUs, the rings.

    It is used by one thread. Neither method may block. Either may raise: the source is then stopped, named
    in the run, and never called again, and the other sources go on.
    """

    name: str
    """What it is called in a run when it had to be stopped."""

    period_s: float
    """How often it wants to be asked, in seconds."""

    def sample(self, now_ns: int) -> None:
        """Read once and write what is new; ``now_ns`` is the monotonic clock and never goes back."""

    def finish(self) -> None:
        """Read a last time: the command has ended. May come without any ``sample`` before it."""
