"""Exit records: threads become processes, and processes find their parents, however late."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from longpole.log.files import LogWriter
from longpole.log.frames import NOTES
from longpole.record.journal import Journal
from longpole.record.samplers.exits import ExitRecords
from longpole.record.samplers.tree import Tree
from longpole.record.taskstats import task_records
from tests.log.reading import frames_of

LAUNCHER, AGENT, ROOT = 10, 11, 12


def record(pid: int, parent: int, **facts: Any) -> bytes:
    """Return one record as Linux 6.18 lays it out (version 16)."""
    data = bytearray(560)
    struct.pack_into("<H", data, 0, facts.get("version", 16))
    struct.pack_into("<I", data, 4, facts.get("status", 0))
    data[8] = (0x20 if facts.get("last", True) else 0) | facts.get("forked", 0)
    data[80:112] = facts.get("name", f"p{pid}").encode().ljust(32, b"\0")
    struct.pack_into("<III", data, 128, facts.get("thread", pid), parent, 0)
    struct.pack_into("<QQQ", data, 144, 1000, facts.get("user", 0), 0)
    struct.pack_into("<Q", data, 200, facts.get("peak", 0))
    struct.pack_into("<QQ", data, 216, facts.get("read", 0), 0)
    struct.pack_into("<IIQ", data, 368, pid, 0, facts.get("elapsed", 5000))
    return bytes(data)


def message(data: bytes) -> bytes:
    """Wrap a record as the kernel sends it."""
    stats = struct.pack("<HH", 4 + len(data), 3) + data
    task = struct.pack("<HHI", 8, 1, 0) + stats
    return bytes(20) + struct.pack("<HH", 4 + len(task), 4) + task


class Stream:
    """A socket that hands out messages and then has no more."""

    def __init__(self) -> None:
        self.waiting: list[bytes] = []

    def recv(self, _: int) -> bytes:
        if not self.waiting:
            raise BlockingIOError
        return self.waiting.pop(0)


class Desk:
    """Exit records over a fake stream, and what they note."""

    def __init__(self, folder: Path) -> None:
        (folder / "log").mkdir()
        self.log = LogWriter(str(folder), 0)
        self.journal = Journal(self.log, 1_000_000)
        self.tree = Tree(self.journal, LAUNCHER, AGENT)
        self.stream = Stream()
        self.exits = ExitRecords(self.journal, self.tree, self.stream)  # type: ignore[arg-type]

    def take(self, *records: bytes, now_ns: int = 1_000_000_000) -> None:
        self.stream.waiting = [message(one) for one in records]
        self.exits.sample(now_ns)

    def notes(self) -> list[dict[str, Any]]:
        self.journal.flush()
        frames = [frame for frame in frames_of(self.log.path) if frame.kind == NOTES]
        return [json.loads(line) for frame in frames for line in bytes(frame.payload).split(b"\n")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_threads_of_a_process_are_summed(desk: Desk) -> None:
    thread = record(ROOT, LAUNCHER, thread=99, last=False, user=3, read=1024, peak=7)
    desk.take(thread, record(ROOT, LAUNCHER, user=4, read=2048, peak=9))

    [note] = desk.notes()
    assert (note["pid"], note["used"][0], note["used"][2], note["peak_kib"]) == (ROOT, 7, 3072, 9)


def test_lifetime_gives_the_start(desk: Desk) -> None:
    desk.take(record(ROOT, LAUNCHER, elapsed=250), now_ns=10_000_000)

    [note] = desk.notes()
    assert (note["start"], note["end"]) == (9_750_000, 10_000_000)


def test_child_that_ends_before_its_parent_is_known_waits_for_it(desk: Desk) -> None:
    desk.take(record(50, 40), record(40, ROOT))
    assert desk.notes() == []

    desk.take(record(ROOT, LAUNCHER))

    found = {note["pid"]: note for note in desk.notes()}
    assert set(found) == {50, 40, ROOT}
    assert found[50]["parent"] == found[40]["number"]
    assert found[40]["parent"] == found[ROOT]["number"]


def test_processes_of_others_are_not_noted_and_forgotten(desk: Desk) -> None:
    desk.take(record(70, 60), now_ns=1_000_000_000)
    desk.take(record(71, 61), now_ns=100_000_000_000)
    desk.take(record(60, LAUNCHER), now_ns=100_000_000_001)

    assert [note["pid"] for note in desk.notes()] == [60]


def test_agent_and_launcher_are_no_part_of_the_command(desk: Desk) -> None:
    desk.take(record(AGENT, LAUNCHER), record(LAUNCHER, ROOT))

    assert desk.notes() == []


def test_pid_that_recurs_gets_a_new_number(desk: Desk) -> None:
    desk.take(record(ROOT, LAUNCHER))
    desk.take(record(ROOT, LAUNCHER), now_ns=2_000_000_000)

    first, second = desk.notes()
    assert first["number"] != second["number"]


@pytest.mark.parametrize("data", [b"", b"x" * 19, bytes(20), bytes(24), bytes(20) + b"\xff" * 40])
def test_messages_of_another_shape_hold_no_record(data: bytes) -> None:
    assert task_records(data) == []


def test_records_of_older_kernels_are_left_alone() -> None:
    assert task_records(message(record(1, 2, version=11))) == []


def test_a_process_that_executed_nothing_is_noted_as_a_fork(desk: Desk) -> None:
    desk.take(
        record(20, LAUNCHER, forked=1, last=False),
        record(20, LAUNCHER, thread=21),
        record(30, LAUNCHER, last=False),
        record(30, LAUNCHER, thread=31, forked=1),
    )

    assert [note.get("forked") for note in desk.notes()] == [True, None]
