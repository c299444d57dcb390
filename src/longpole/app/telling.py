"""Telling a run as it happens: another system's rows go into its log, and are there at any moment.

Inside a recorded command the rows join that run; else they make one of their own. Nothing in here raises:
who tells must not fail because of us.
"""

from __future__ import annotations

import os
import time

import msgspec

from longpole.log.files import LogWriter
from longpole.model.columns import Columns
from longpole.record.assignment import Assignment
from longpole.record.manifest import first_facts, save
from longpole.record.rundir import RUN_VARIABLE, create_run_folder, find_runs_folder, working_folder
from longpole.store.derive.notes import Teller
from longpole.store.derive.pieces import pieces_of


class Telling:
    """A run that is being told; ``path`` is its folder, empty if there is none, and ``trouble`` says why."""

    def __init__(self, source: str, name: str, command: list[str], runs: str = "") -> None:
        """Begin a run, or join the one this process is part of."""
        self.path = self.trouble = ""
        self._source = source
        self._log: LogWriter | None = None
        self._manifest: dict[str, object] = {}
        try:
            self.path = os.environ.get(RUN_VARIABLE, "") or self._begin(name, command, runs)
            self._log = LogWriter(self.path, time.time_ns())
        except OSError as error:
            self.trouble = f"Nothing is kept: cannot write a run ({error.strerror or error})."
            return
        self._note(source)

    def tell(self, table: str, rows: Columns) -> None:
        """Keep rows of a table; those with an id that came before replace them."""
        if self._log is not None:
            for piece in pieces_of(table, rows):
                self._log.piece(piece)
            self._log.flush()

    def credit(self, source: str) -> None:
        """Say that some of it is as another system told."""
        self._note(source)

    def lack(self, gap: str) -> None:
        """Keep a sentence on something that cannot be told."""
        self._note(self._source, gap)

    def end(self, *, failed: bool) -> None:
        """Say that there is no more."""
        if self._log is None:
            return
        self._log.close()
        self.trouble = self.trouble or (self._log.trouble if self._log.lost else "")
        self._log = None
        if self._manifest:
            ended = {"state": "finished", "exit_code": int(failed)}
            try:
                save(self.path, {**self._manifest, **ended})
            except OSError as error:
                self.trouble = f"The run is incomplete: {error.strerror}."

    def _note(self, source: str, *gaps: str) -> None:
        if self._log is not None:
            self._log.notes([msgspec.json.encode(Teller(source, gaps))])
            self._log.flush()

    def _begin(self, name: str, command: list[str], runs: str) -> str:
        path = create_run_folder(find_runs_folder(runs), name)
        teller = Assignment(path, "", os.getpid())
        teller.name, teller.command, teller.folder = name, command, working_folder()
        self._manifest = first_facts(teller)
        save(path, self._manifest)
        return path
