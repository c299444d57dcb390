"""Notes as typed values: each is one line of JSON that says in ``about`` what it tells of.

A note of a kind that is not known is passed over: a later version may have written it. One that is known
but does not hold what it must is counted, and left out.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from longpole.log.slots import BINS, STEP_PARTS
from longpole.store.derive.note import Count, Moment, Name, Note, Number, Offset
from longpole.store.derive.workflow_notes import WORKFLOW_NOTES

Seconds = Annotated[int, Meta(ge=0, lt=1 << 33)]
Tag = Annotated[str, Meta(max_length=32)]
Numbers = tuple[Number, ...]
# A histogram: how many durations each bin holds, for those that hold any. The time of each part of steps, in
# ns, and of checkpoints within them.
Bins = Annotated[tuple[tuple[Annotated[int, Meta(ge=0, lt=BINS)], Count], ...], Meta(max_length=BINS)]
Parts = Annotated[tuple[Count, ...], Meta(max_length=len(STEP_PARTS) + 1)]


class Host(Note, frozen=True):
    """The machine an agent runs on."""

    name: Name = ""
    kernel: Name = ""
    machine: Name = ""
    boot: Name = ""
    cores: Count | None = None
    memory_bytes: Count | None = None


class Clock(Note, frozen=True):
    """A measured offset of the monotonic clock to UTC."""

    at: Moment
    offset: Offset
    error: Count = 0


class Began(Note, frozen=True):
    """An agent has begun, with these privileged sources."""

    at: Moment
    exit_records: bool = False
    opens: bool = False
    hooks: bool = False
    # Pids of processes that it was attached to: they ran before.
    attached: Numbers = ()


class Ended(Note, frozen=True):
    """An agent has ended in order, having lost this."""

    at: Moment = 0
    lost_in_rings: Count = 0
    without_ring: Count = 0
    exits_overrun: bool = False
    opens_overrun: bool = False
    other_users: Count = 0
    unreadable: Count = 0
    notes_left_out: Count = 0


class Used(Note, frozen=True):
    """What attached processes have used so far, with all they have reaped: as in exit records."""

    at: Moment
    used: tuple[Count, Count, Count, Count, Count, Count]


class Unreadable(Note, frozen=True):
    """A process whose bytes the agent may not read."""

    number: Number


class Forks(Note, frozen=True):
    """How many processes the host started while the agent watched, whoever's they were."""

    count: Count


class Process(Note, frozen=True):
    """Who a process is; again when it has become another program.

    Whether it is a Python is empty where that could not be seen. The image is the same for a process and
    those forked from it, until one executes a program; the inner pid is that of a namespace of its own.
    Standard input and output are inodes of pipes; 0 where they are none, empty where that was not seen.
    """

    number: Number
    pid: Number = 0
    parent: Number = 0
    start: Moment | None = None
    comm: Name = ""
    command: Name = ""
    python: bool | None = None
    image: Count = 0
    inner_pid: Number = 0
    launcher: Number = 0
    stdin: Count | None = None
    stdout: Count | None = None


class Gone(Note, frozen=True):
    """A process was no longer there at this time."""

    number: Number
    by: Moment


class Exit(Note, frozen=True):
    """What the kernel said at a process's end: CPU in microseconds, then bytes by call and of storage.

    Ran and waited: how long threads of it were on a core, and waited for one; 0 in logs that do not tell.
    Forked: it never executed a program of its own.
    """

    number: Number
    end: Moment
    used: tuple[Count, Count, Count, Count, Count, Count]
    pid: Number = 0
    parent: Number = 0
    comm: Name = ""
    start: Moment | None = None
    status: Number = 0
    peak_kib: Count = 0
    ran_ns: Count = 0
    waited_ns: Count = 0
    forked: bool = False


class Ring(Note, frozen=True):
    """The ring of a process, and where it was forked from."""

    source: Number
    number: Number
    tag: Tag
    pid: Number = 0
    parent_tag: Tag = "0"
    parent_phase: Count = 0


class Resource(Note, frozen=True):
    """What the values of a gauge mean."""

    number: Number
    kind: Name
    name: Name
    fields: Annotated[tuple[tuple[Name, Name], ...], Meta(max_length=4)]
    capacity: float | None = None
    scope: Name = "host"


class Reached(Note, frozen=True):
    """Pythons, by pid as they see it themselves, that hooks could be loaded into; heard of by then.

    For each also when its interpreter was ready, and the CPU time until then; 0 where it is not known.
    """

    at: Moment
    pids: Numbers
    ready: tuple[Moment, ...] = ()
    spent: tuple[Count, ...] = ()


class Sum(Note, frozen=True):
    """Phases of one name that were kept as their sum, so far; name and kind are texts of the ring.

    The kind of steps goes by its own name. The origin tells apart who did the sum: the agent, or, as a
    tally, the process itself.
    """

    source: Number
    name: Number
    kind: Number
    count: Count
    total_ns: Count
    start: Moment
    end: Moment
    status: Number = 0
    kind_name: Name = ""
    origin: Name = ""
    bins: Bins = ()
    parts: Parts = ()


class Lost(Note, frozen=True):
    """Records that found no room in a ring."""

    source: Number
    records: Count


class Fault(Note, frozen=True):
    """A part of the recorder that failed."""

    text: Name = ""
    source: Name = ""


class Opened(Note, frozen=True):
    """A file that a process has opened; bytes are -1 where its size is not known."""

    number: Number
    path: Name
    times: Count = 0
    first: Moment | None = None
    written: int | bool = 0
    bytes: Annotated[int, Meta(ge=-1, le=1 << 62)] = -1


class Compared(Note, frozen=True):
    """A comparison of two hosts' monotonic clocks: at ``at`` by ours theirs showed ``theirs``."""

    at: Moment
    theirs: Moment
    error: Count = 0
    peer: Name = ""
    peer_boot: Name = ""


class Slurm(Note, frozen=True):
    """What Slurm said of a job: when, in seconds of UTC, it was submitted, could start, and started."""

    job: Name
    restarts: Number = 0
    submit: Seconds = 0
    eligible: Seconds = 0
    start: Seconds = 0
    partition: Name = ""
    problem: Name = ""


class Teller(Note, frozen=True):
    """Another system, which tells what is in the pieces of this log, and what it cannot tell.

    Within: its processes are those that were recorded, and its times are by the clocks of their hosts.
    """

    source: Name
    gaps: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()
    within: bool = False


class _About(Struct):
    about: str


KNOWN = (
    *(Host, Clock, Began, Ended, Forks, Process, Gone, Exit, Ring, Resource, Reached, Sum, Lost, Fault),
    *(Opened, Compared, Slurm, Teller, Used, Unreadable),
    *WORKFLOW_NOTES,
)
_NAMES = frozenset(kind.__name__.lower() for kind in KNOWN)
_ANY: Any = Host
for _kind in KNOWN[1:]:
    _ANY = _ANY | _kind
_DECODER = msgspec.json.Decoder(_ANY)
_ABOUT = msgspec.json.Decoder(_About)

Kind = TypeVar("Kind", bound=Note)


class Notes:
    """The notes of one log file, by kind, in the order they were written."""

    def __init__(self) -> None:
        """Start with none."""
        self._by_kind: dict[type[Note], list[Note]] = {kind: [] for kind in KNOWN}
        self.unusable = 0

    def take(self, line: bytes) -> None:
        """Add one line, or count it if it cannot be used."""
        try:
            note = _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.unusable += not _is_of_later_kind(line)
        else:
            self._by_kind[type(note)].append(note)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Return all notes of one kind."""
        return self._by_kind[kind]  # type: ignore[return-value]


def _is_of_later_kind(line: bytes) -> bool:
    try:
        return _ABOUT.decode(line).about not in _NAMES
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
