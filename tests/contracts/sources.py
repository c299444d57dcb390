"""What every source of an agent must do; a test class of an adapter inherits all of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.log.files import LogWriter, read_logs
from longpole.log.frames import SLOTS
from longpole.log.slots import SLOT_BYTES
from longpole.model.ports import Source
from longpole.record.journal import Journal
from longpole.record.samplers.tree import Tree


class SourceContract:
    """The promises of ``model.ports.Source``."""

    def make(self, journal: Journal, tree: Tree) -> Source:
        """Return a source that writes into the journal; adapters say how."""
        raise NotImplementedError

    @pytest.fixture
    def log(self, tmp_path: Path) -> LogWriter:
        (tmp_path / "log").mkdir()
        return LogWriter(str(tmp_path), 0)

    @pytest.fixture
    def journal(self, log: LogWriter) -> Journal:
        return Journal(log, 1_000_000)

    def clean(self) -> None:
        """Give back what ``make`` opened; adapters say how."""

    @pytest.fixture
    def source(self, journal: Journal) -> Iterator[Source]:
        tree = Tree(journal, 0, 0)
        tree.admit(os.getpid())
        yield self.make(journal, tree)
        self.clean()

    def test_it_has_a_name_and_a_period(self, source: Source) -> None:
        assert source.name
        assert 0 < source.period_s <= 60

    def test_it_can_be_asked_again_and_again(self, source: Source) -> None:
        for _ in range(5):
            source.sample(time.monotonic_ns())
        source.finish()

    def test_it_can_finish_without_having_been_asked(self, source: Source) -> None:
        source.finish()

    def test_it_can_be_asked_twice_at_the_same_moment(self, source: Source) -> None:
        now = time.monotonic_ns()
        source.sample(now)
        source.sample(now)

    def test_what_it_writes_is_whole(self, source: Source, journal: Journal, log: LogWriter) -> None:
        source.sample(time.monotonic_ns())
        source.finish()
        journal.flush()
        log.close()

        [(found, tally)] = read_logs(log.path)
        frames = list(found)

        assert tally.readable == tally.expected == log.records
        assert all(len(frame.payload) % SLOT_BYTES == 0 for frame in frames if frame.kind == SLOTS)
