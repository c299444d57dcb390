"""Totals of processes nobody here reaps: what their counters, with all they have reaped, have grown by."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from longpole.record.proc import start_ns
from longpole.record.samplers import totals
from longpole.record.samplers.totals import TreeTotals

BEGIN_TICKS = 1000
OUTSIDE = 1


class World:
    """Processes as /proc would show them: CPU and bytes, own and reaped together."""

    def __init__(self) -> None:
        self.stats: dict[int, Any] = {}
        self.bytes: dict[int, tuple[int, int, int, int] | None] = {}
        self.tree: Any = SimpleNamespace(members={})
        self.notes: list[dict[str, Any]] = []
        self.journal: Any = SimpleNamespace(stretch=1, note=self._note)

    def _note(self, about: str, **facts: Any) -> None:
        self.notes.append({"about": about, **facts})

    def start(self, pid: int, parent: int = OUTSIDE, *, before: bool = False) -> None:
        ticks = BEGIN_TICKS + (-100 if before else 100)
        self.stats[pid] = SimpleNamespace(
            start_ticks=ticks,
            parent=parent,
            **dict.fromkeys(
                ("cpu_user_us", "cpu_system_us", "children_user_us", "children_system_us", "state"), 0
            ),
        )
        self.bytes[pid] = (0, 0, 0, 0)
        self.tree.members[pid] = SimpleNamespace(pid=pid, number=pid, start_ticks=ticks)

    def use(self, pid: int, user_us: int, read: int = 0) -> None:
        self.stats[pid].cpu_user_us += user_us
        had = self.bytes[pid]
        if had is not None:
            self.bytes[pid] = (had[0] + read, *had[1:])

    def end(self, pid: int, *, reaped: bool = True) -> None:
        """End a process; its parent gets all it had, if it waits for it and lives."""
        stat, moved = self.stats.pop(pid), self.bytes.pop(pid)
        del self.tree.members[pid]
        if reaped and stat.parent in self.stats:
            self.stats[stat.parent].children_user_us += stat.cpu_user_us + stat.children_user_us
            had = self.bytes[stat.parent]
            self.bytes[stat.parent] = (had[0] + moved[0], *had[1:])  # type: ignore[index]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(totals, "read_stat", made.stats.get)
    monkeypatch.setattr(totals, "read_io", made.bytes.get)
    return made


def begin(world: World) -> TreeTotals:
    return TreeTotals(world.journal, world.tree, start_ns(BEGIN_TICKS))


def used(totals_: TreeTotals) -> tuple[int, int]:
    """Return user CPU time and bytes read, after another look."""
    totals_.sample(0)
    return totals_.used[0], totals_.used[2]


def test_what_was_before_is_left_out(world: World) -> None:
    world.start(10, before=True)
    world.use(10, 5000, 50)
    tree = begin(world)
    world.use(10, 300, 7)

    assert used(tree) == (300, 7)


def test_a_child_nobody_saw_is_in_its_parent_once_it_is_reaped(world: World) -> None:
    world.start(10, before=True)
    tree = begin(world)
    world.start(11, parent=10)
    world.use(11, 400, 9)
    world.end(11)

    assert used(tree) == (400, 9)


def test_a_child_that_was_seen_counts_once(world: World) -> None:
    world.start(10, before=True)
    tree = begin(world)
    world.start(11, parent=10)
    world.use(11, 400)
    assert used(tree) == (400, 0)
    world.use(11, 100)
    world.end(11)

    assert used(tree) == (500, 0)


def test_a_child_that_was_there_before_counts_from_then_on_when_it_is_reaped(world: World) -> None:
    world.start(10, before=True)
    world.start(11, parent=10, before=True)
    world.use(11, 7000, 70)
    tree = begin(world)
    world.use(11, 100, 1)
    world.end(11)

    assert used(tree) == (100, 1)


def test_what_nobody_of_ours_reaps_is_kept_as_last_seen(world: World) -> None:
    world.start(10, before=True)
    world.use(10, 1000)
    tree = begin(world)
    world.use(10, 300)
    assert used(tree) == (300, 0)
    world.end(10)

    assert used(tree) == (300, 0)


def test_a_parent_that_ends_with_its_child_leaves_both(world: World) -> None:
    world.start(10, before=True)
    world.start(11, parent=10)
    tree = begin(world)
    world.use(10, 30)
    world.use(11, 400)
    assert used(tree) == (430, 0)
    world.end(11)
    world.end(10)

    assert used(tree) == (430, 0)


def test_a_child_that_nobody_waits_for_does_not_take_away_what_was_seen(world: World) -> None:
    world.start(10, before=True)
    world.start(11, parent=10)
    tree = begin(world)
    world.use(11, 400)
    assert used(tree) == (400, 0)
    world.end(11, reaped=False)

    assert used(tree) == (400, 0)


def test_another_process_of_the_same_pid_is_not_taken_for_it(world: World) -> None:
    world.start(10, before=True)
    tree = begin(world)
    world.use(10, 300)
    assert used(tree) == (300, 0)
    world.stats[10].start_ticks += 1
    world.use(10, 9000)

    assert used(tree) == (300, 0)


def test_bytes_that_may_not_be_read_are_none(world: World) -> None:
    world.start(10, before=True)
    world.bytes[10] = None
    tree = begin(world)
    world.use(10, 300, 5)

    assert used(tree) == (300, 0)


def test_the_last_sum_is_written_down(world: World) -> None:
    world.start(10, before=True)
    tree = begin(world)
    world.use(10, 300, 5)
    tree.finish()

    assert world.notes[-1]["about"] == "used"
    assert world.notes[-1]["used"] == [300, 0, 5, 0, 0, 0]


def test_nothing_is_written_while_nothing_changes(world: World) -> None:
    world.start(10, before=True)
    tree = begin(world)
    for second in range(100):
        tree.sample(second * 1_000_000_000)

    assert world.notes == []
