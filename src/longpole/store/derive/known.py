"""One process of a run, as far as it is known, and how exactly that is."""

from __future__ import annotations

from typing import Any

from longpole.store.derive.notes import Exit

# A start is known to one tick of the kernel's clock; a record of an end may come this much later.
TICK_NS = 10_000_000
LATE_NS = 100_000_000
# On a machine that is busy beyond measure it may come even so much later.
LATEST_NS = 5_000_000_000


class Known:
    """One process, as far as it is known; times on UTC."""

    __slots__ = (
        *("became", "bytes_known", "comm", "command", "end_ns", "ended_in", "exact", "executes"),
        *("exit", "host", "id", "images", "import_ns", "joined", "last_name", "launched_by", "launcher"),
        *("member", "order", "parent", "parent_key", "pid", "python", "rank", "start_guessed"),
        *("start_ns", "start_up_ns", "status", "stdin", "stdout", "traced", "world"),
    )

    def __init__(self, host: int, order: tuple[int, int]) -> None:
        """Start with nothing but the host; ``order`` is the log and number it was first met by."""
        self.host = host
        self.order = order
        self.id = 0
        self.pid = 0
        self.parent_key: tuple[int, int] | None = None
        self.parent: Known | None = None
        self.launched_by: Known | None = None
        self.start_ns: int | None = None
        self.start_guessed = False
        self.end_ns: int | None = None
        self.comm = ""
        self.command = ""
        self.rank: int | None = None
        self.world: int | None = None
        self.status: int | None = None
        self.exit: Exit | None = None
        self.exact = False
        self.joined = False
        self.bytes_known = True
        # Whether it is a Python, None where nobody could see, and the images it had.
        self.python: bool | None = None
        self.images: list[int] = []
        # Whether it was seen as another program before.
        self.became = False
        # How long its interpreter took to start, where it said so.
        self.start_up_ns: int | None = None
        self.import_ns: int | None = None
        # Pipes that are its standard input and output; 0 where they are none, or nobody could see.
        self.stdin = self.stdout = 0
        # The launcher it was started by, and the ring of the one that saw its end; the command it ran for.
        self.launcher = 0
        self.ended_in: int | None = None
        self.last_name = ""
        self.member: Any = None
        # Whether a driver started it for a task: it lies in that one's execution, not in who started it.
        self.executes = False
        # What a trace of it says of itself, as JSON.
        self.traced: str | None = None

    def began_about(self, at_ns: int, *, guessed: bool) -> bool:
        """Return whether it may have begun then; a guess, from an exit record, may be late but not early."""
        if self.start_ns is None or (guessed and self.start_guessed):
            return False
        late_ns = self.start_ns - at_ns if self.start_guessed else at_ns - self.start_ns
        most_ns = LATE_NS if guessed or self.start_guessed else 2 * TICK_NS
        return -2 * TICK_NS <= late_ns <= most_ns

    @property
    def late_ns(self) -> int:
        """How much later than it was its start may be noted; an exit record waits to be read."""
        return LATEST_NS if self.start_guessed else TICK_NS

    def ended_by(self, at_ns: int) -> None:
        """Note that it had ended by then."""
        self.end_ns = at_ns if self.end_ns is None else min(self.end_ns, at_ns)
