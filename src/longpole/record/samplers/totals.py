"""What processes that ran before us use in all, with those too short to be seen, from a moment on.

Method: a process's counters in /proc also hold what it has got from the children it reaped. So the sum over
the living, less what it was at the first look, grows by what all of them use, however short they live. A
process that has ended is in the counters of its parent; if that is not one of ours or has ended too, its own
last reading is kept. Parents are read before their children, so that nothing is counted twice: each sum is a
lower bound, and the largest one is kept. Missing are the last moments of a process that nobody of ours
reaped, and children that nobody waits for (a parent that ignores SIGCHLD, daemons that were never seen).
"""

from __future__ import annotations

from time import monotonic_ns, thread_time_ns

from longpole.record.proc import TICK_NS, read_io, read_stat, start_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Member, Tree

    Counters = tuple[int, ...]

# The share of one core that this may take, and how often it is worth it at most.
_SHARE = 0.0005
_SHORTEST_S, _LONGEST_S = 0.2, 10.0
_NOTE_NS = 5_000_000_000
_NOTHING = (0, 0, 0, 0, 0, 0)


class _Standing:
    """What a living process has used by its last reading, with all it had reaped, and who its parent was."""

    __slots__ = ("counters", "parent")

    def __init__(self, counters: Counters, parent: int) -> None:
        self.counters = counters
        self.parent = parent


class TreeTotals:
    """Sums up a tree whose processes nobody here reaps."""

    name = "tree"

    def __init__(self, journal: Journal, tree: Tree, since_ns: int) -> None:
        """Leave out what was used before ``since_ns``."""
        self.period_s = _SHORTEST_S
        self._journal = journal
        self._tree = tree
        self._since_ns = since_ns
        self._standings: dict[int, _Standing] = {}
        self._before: Counters = _NOTHING
        self._settled: Counters = _NOTHING
        self.used: Counters = _NOTHING
        self._noted: Counters = _NOTHING
        self._note_after_ns = 0
        self._look()

    def sample(self, now_ns: int) -> None:
        """Sum up, and now and then write it down."""
        began = thread_time_ns()
        self._look()
        spent_s = (thread_time_ns() - began) / 1e9
        self.period_s = min(max(_SHORTEST_S, spent_s / _SHARE), _LONGEST_S)
        if now_ns >= self._note_after_ns and self.used != self._noted:
            self._note_after_ns = now_ns + _NOTE_NS * self._journal.stretch
            self._note(now_ns)

    def finish(self) -> None:
        """Write down the last sum."""
        self._look()
        self._note(monotonic_ns())

    def _look(self) -> None:
        members = list(self._tree.members.values())
        seen = {member.number: standing for member in members if (standing := self._read(member))}
        pids = {member.pid for member in members if member.number in seen}
        for number in self._standings.keys() - seen.keys():
            if self._standings[number].parent not in pids:
                self._settled = _plus(self._settled, self._standings[number].counters)
        self._standings = seen
        living: Counters = _NOTHING
        for standing in seen.values():
            living = _plus(living, standing.counters)
        self.used = tuple(map(max, self.used, _minus(_plus(living, self._settled), self._before)))

    def _read(self, member: Member) -> _Standing | None:
        stat = read_stat(member.pid)
        if stat is None or stat.start_ticks != member.start_ticks:
            return None
        last = self._standings.get(member.number)
        cpu = (stat.cpu_user_us + stat.children_user_us, stat.cpu_system_us + stat.children_system_us)
        moved = read_io(member.pid) or (last.counters[2:] if last else _NOTHING[2:])
        standing = _Standing((*cpu, *moved), stat.parent)
        if last is None and start_ns(member.start_ticks) + TICK_NS <= self._since_ns:
            self._before = _plus(self._before, standing.counters)
        return standing

    def _note(self, now_ns: int) -> None:
        self._noted = self.used
        self._journal.note("used", at=now_ns, used=list(self.used))


def _plus(some: Counters, others: Counters) -> Counters:
    return tuple(map(sum, zip(some, others, strict=True)))


def _minus(some: Counters, others: Counters) -> Counters:
    return tuple(one - other for one, other in zip(some, others, strict=True))
