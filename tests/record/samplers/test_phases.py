"""The agent's side of rings: sums that outlive the agent, tallies, and word of Pythons."""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path
from typing import Any

import pytest

from longpole.log.files import LogWriter
from longpole.log.frames import NOTES
from longpole.log.slots import OWED_WORDS, PHASE, PHASE_LAYOUT, RING_SUFFIX, SLOT_BYTES
from longpole.record.client.ring import Ring, create_ring
from longpole.record.journal import Journal
from longpole.record.samplers.markers import MARKER_SUFFIX
from longpole.record.samplers.phases import PhaseCollector
from longpole.record.samplers.tree import Tree
from tests.log.reading import frames_of
from tests.recording import SOURCE

SECOND = 1_000_000_000


class Desk:
    """A collector, the ring of this process, and what the log has."""

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self.run = folder / "run"
        (self.run / "log").mkdir(parents=True)
        self.rings = folder / "rings"
        self.rings.mkdir(exist_ok=True)
        self.log = LogWriter(str(self.run), 0)
        self.journal = Journal(self.log, limit_bytes)
        self.collector = PhaseCollector(self.journal, Tree(self.journal, 0, 0), str(self.rings))
        self.now_ns = 0

    def sample(self, after_s: float = 0.1) -> None:
        """Let time pass, and the collector do what is due."""
        self.now_ns += int(after_s * SECOND)
        self.collector.sample(self.now_ns)

    def flush(self) -> None:
        """Write the log and give back, as the agent does once a second."""
        self.journal.flush()
        self.collector.commit()

    def notes(self, about: str) -> list[dict[str, Any]]:
        """Return the notes of one kind that are in the log."""
        payloads = [bytes(frame.payload) for frame in frames_of(self.log.path) if frame.kind == NOTES]
        found = [json.loads(line) for payload in payloads for line in payload.split(b"\n")]
        return [note for note in found if note["about"] == about]

    def counts(self) -> list[int]:
        return [note["count"] for note in self.notes("sum")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A collector for whom nothing is left of the disk: all phases become sums."""
    return Desk(tmp_path, 0)


@pytest.fixture
def ring(desk: Desk) -> Ring:
    return create_ring(str(desk.rings))


def mark(ring: Ring, count: int) -> None:
    for number in range(count):
        ring.slot(PHASE_LAYOUT, PHASE, 0, 0, number, 0, 1, 2, 0, number, number + 1000, 0, 0, 0)


def test_sums_are_noted_as_they_stand_every_so_often_while_they_grow(desk: Desk, ring: Ring) -> None:
    desk.sample()
    for _ in range(3):
        mark(ring, 10)
        desk.sample(5)
        mark(ring, 10)
        desk.sample(5)
    desk.sample(30)

    assert desk.counts() == [20, 40, 60]


def test_what_is_in_a_sum_is_given_back_only_when_the_sum_is_noted(desk: Desk, ring: Ring) -> None:
    desk.sample()
    mark(ring, 10)
    desk.sample()
    desk.flush()

    later = Desk(desk.run.parent / "second", 1 << 20)
    later.collector._folder = str(desk.rings)
    later.collector.finish()

    assert desk.counts() == []
    assert later.journal._used[1] == 10 * SLOT_BYTES


def test_a_ring_that_fills_up_is_given_back_with_its_sums_noted(desk: Desk, ring: Ring) -> None:
    desk.sample()
    mark(ring, 20_000)
    desk.sample()
    mark(ring, 20_000)
    desk.sample()

    assert desk.counts() == [20_000, 40_000]


def test_sums_that_take_too_much_of_the_disk_are_noted_less_often(tmp_path: Path) -> None:
    desk = Desk(tmp_path, 2000)
    ring = create_ring(str(desk.rings))
    for _ in range(400):
        mark(ring, 60)
        desk.sample(10)

    count = len(desk.counts())
    desk.collector.finish()
    desk.journal.flush()

    assert 5 < count < 60
    assert desk.counts()[-1] == 399 * 60  # the first were kept in full


def test_tallies_are_noted_beside_sums(desk: Desk, ring: Ring) -> None:
    tally = ring.tally("step", "step")
    assert tally is not None
    tally.add(5, 1005)
    mark(ring, 3)
    desk.sample()
    tally.add(2000, 3000)
    ring.close()
    desk.collector.finish()
    desk.journal.flush()

    found = [(note.get("origin", ""), note["count"], note["total_ns"]) for note in desk.notes("sum")]
    assert sorted(found) == [("", 3, 3000), ("tally", 1, 1000), ("tally", 2, 2000)]


def test_steps_that_a_killed_process_had_not_written_are_noted(desk: Desk, ring: Ring) -> None:
    ring.words[OWED_WORDS[0]] = 3 | 2 << 32
    ring.words[OWED_WORDS[1]] = 4
    desk.sample()
    desk.collector.finish()
    desk.journal.flush()

    assert {note["kind_name"]: note["count"] for note in desk.notes("sum")} == {"step": 7, "batch": 2}


def test_word_of_a_python_is_taken_away_once_it_is_in_the_log(desk: Desk) -> None:
    (desk.rings / f"101-aa{MARKER_SUFFIX}").touch()
    (desk.rings / f"102-bb{MARKER_SUFFIX}").touch()
    desk.sample(10)
    desk.sample(0)
    (desk.rings / f"103-cc{MARKER_SUFFIX}").touch()
    desk.collector._changed_ns = -1
    desk.sample(1)
    before = sorted(os.listdir(desk.rings))
    desk.flush()

    assert sorted(pid for note in desk.notes("reached") for pid in note["pids"]) == [101, 102, 103]
    assert before == [f"103-cc{MARKER_SUFFIX}"]
    assert os.listdir(desk.rings) == []


@pytest.mark.parametrize("name", ["x-aa", "-aa", "", "99999999999999-aa", "1²-aa"])
def test_files_of_odd_names_do_no_harm(desk: Desk, name: str) -> None:
    (desk.rings / f"{name}{MARKER_SUFFIX}").touch()
    (desk.rings / f"{name}{RING_SUFFIX}").touch()

    desk.sample()
    desk.flush()

    assert [note["pids"] for note in desk.notes("reached")] == [[]]


def test_hooks_and_agent_agree_on_how_word_is_left() -> None:
    watch = runpy.run_path(str(SOURCE / "longpole/record/hooks/site/longpole_watch.py"))

    assert watch["MARKER_SUFFIX"] == MARKER_SUFFIX
