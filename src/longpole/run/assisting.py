"""What the runner itself does for a workflow: folders, results to their place, the ledger, cleaning up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from longpole.model.staging import Moved
from longpole.run.engines.port import Delivered, Engine
from longpole.run.ledger import Ledger
from longpole.run.locations import Locations
from longpole.run.messages import Assist, Auxiliary
from longpole.run.results import Wanted
from longpole.run.runner import Runner
from longpole.run.scratch import remove_scratch

_NOTHING = Moved(())


@dataclass(frozen=True, slots=True)
class Results:
    """What goes to the user: into which folder, which files, and the level of each template."""

    folder: str
    wanted: Wanted
    levels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Places:
    """Where a run works: the scratch of its jobs, all files, and the ledger of what was made."""

    scratch: str
    locations: Locations
    ledger: Ledger


class Assisting:
    """Does auxiliary jobs.

    Attributes:
        files: How many files were put where results go.
        size_bytes: How large they are, together.
    """

    def __init__(self, runner: Runner, engine: Engine, places: Places, results: Results) -> None:
        """Take what it works with."""
        self._runner, self._engine, self._results = runner, engine, results
        self._scratch, self._locations, self._ledger = places.scratch, places.locations, places.ledger
        self.files = self.size_bytes = 0
        self._names: dict[int, list[str]] = {}
        self._looked = 0

    def __call__(self, order: Assist, ended: Delivered) -> None:
        """Do one; ``ended`` is called when it is done, at once or later."""
        match order.kind:
            case Auxiliary.CREATE_DIR:
                ended(self._create(), _NOTHING)
            case Auxiliary.STAGE_OUT:
                self._stage_out(order.level, ended)
            case Auxiliary.REGISTER:
                ended(self._register(), _NOTHING)
            case Auxiliary.CLEANUP:
                ended(self._clean(), _NOTHING)

    def _create(self) -> str:
        try:
            for folder in (self._scratch, self._locations.kept):
                os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            return f"Cannot make the folder {error.filename}: {error.strerror}. Choose another with --work."
        return ""

    def _stage_out(self, level: int, ended: Delivered) -> None:
        self._look()
        names = self._names.pop(level, [])
        if not names:
            ended("", _NOTHING)
            return
        items = tuple(self._locations.source(name) for name in names)

        def delivered(cause: str, moved: Moved) -> None:
            self.files += len(moved.sizes)
            self.size_bytes += sum(moved.sizes.values())
            ended(cause, moved)

        self._engine.deliver(items, self._results.folder, delivered)

    def _look(self) -> None:
        """Find the results among what was committed since the last time, by the levels of their tasks."""
        runner = self._runner
        new = runner.committed[self._looked :]
        self._looked += len(new)
        for task in new:
            level = self._results.levels[runner.expansion.tasks[task].template.name]
            for made in runner.made.get(task, ()):
                if made.size_bytes >= 0 and self._results.wanted(made.name):
                    self._names.setdefault(level, []).append(made.name)

    def _register(self) -> str:
        try:
            self._ledger.settle()
        except OSError as error:
            return f"Cannot write what was made into the ledger: {error.strerror}."
        return ""

    def _clean(self) -> str:
        """Remove the scratch, unless a job that failed left something there to look at."""
        if not self._runner.failures:
            remove_scratch(self._scratch)
        return ""
