"""Every source of the agent keeps the promises of a source."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from longpole.model.ports import Source
from longpole.record.journal import Journal
from longpole.record.samplers.cost import CostSampler
from longpole.record.samplers.exits import ExitRecords
from longpole.record.samplers.files import OpenedFiles, watch_opens
from longpole.record.samplers.host import HostSampler
from longpole.record.samplers.phases import PhaseCollector
from longpole.record.samplers.processes import ProcessSampler
from longpole.record.samplers.totals import TreeTotals
from longpole.record.samplers.tree import Tree
from longpole.record.taskstats import open_exit_records
from tests.contracts.sources import SourceContract
from tests.parts import need


class TestProcessSampler(SourceContract):
    def make(self, journal: Journal, tree: Tree) -> Source:
        return ProcessSampler(journal, tree, 10.0)


class TestTreeTotals(SourceContract):
    def make(self, journal: Journal, tree: Tree) -> Source:
        return TreeTotals(journal, tree, time.monotonic_ns())


class TestHostSampler(SourceContract):
    def make(self, journal: Journal, tree: Tree) -> Source:
        return HostSampler(journal)


class TestPhaseCollector(SourceContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def make(self, journal: Journal, tree: Tree) -> Source:
        return PhaseCollector(journal, tree, str(self.folder))


class TestCostSampler(SourceContract):
    def make(self, journal: Journal, tree: Tree) -> Source:
        return CostSampler(journal, 1, time.monotonic_ns())


class TestExitRecords(SourceContract):
    def make(self, journal: Journal, tree: Tree) -> Source:
        need("taskstats")
        self.stream = open_exit_records()
        return ExitRecords(journal, tree, self.stream)

    def clean(self) -> None:
        self.stream.close()


class TestOpenedFiles(SourceContract):
    def make(self, journal: Journal, tree: Tree) -> Source:
        need("fanotify")
        self.descriptor = watch_opens()
        return OpenedFiles(journal, tree, self.descriptor)

    def clean(self) -> None:
        os.close(self.descriptor)
