"""Runs in Python: ``longpole.load()`` gives a run, and a run gives its tables."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from longpole.model.columns import Columns
from longpole.model.manifest import Manifest, State
from longpole.model.overview import Overview
from longpole.model.recording import Reading
from longpole.model.roofline import Roofline
from longpole.store.asking import ask_run
from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run, runs_folder

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def load(run: str | os.PathLike[str] = "latest", runs: str = "") -> Run:
    """Return a run by id, the beginning of one, path, ``latest`` or ``latest:NAME``.

    Args:
        run: Which run.
        runs: The folder of runs; '' for the one ``longpole record`` would use here.

    Raises:
        RunNotFoundError: There is none, or more than one.
        DamagedRunError: It cannot be read.
    """
    folder = runs_folder(runs)
    path = run if isinstance(run, str) else os.path.join(".", os.fspath(run))
    return Run(open_run(find_run(path, folder)))


class Run:
    """One run: what is known about it, and its tables as columns.

    A run that is still going is seen as it was when it was first asked; load it again to see more.
    """

    def __init__(self, stored: StoredRun) -> None:
        """Take a run that ``load`` has opened."""
        self._stored = stored

    @property
    def id(self) -> str:
        """The id of the run."""
        return self.manifest.id

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.manifest.name

    @property
    def path(self) -> Path:
        """The folder of the run."""
        return self._stored.path

    @property
    def manifest(self) -> Manifest:
        """What the run says about itself."""
        return self._stored.manifest

    @property
    def state(self) -> State:
        """Whether it is running, finished or broken off."""
        return self._stored.state

    @property
    def command(self) -> tuple[str, ...]:
        """The command that was recorded, secrets masked."""
        return self.manifest.command

    @property
    def exit_code(self) -> int | None:
        """The exit code as a shell would see it; None while it goes on or if it is not known."""
        return self.manifest.exit_code

    @property
    def makespan_s(self) -> float | None:
        """Seconds from the command's begin to its end."""
        return self.manifest.makespan_s

    @property
    def reading(self) -> Reading:
        """How much of the log could be read, and what is damaged."""
        return self._stored.reading

    @property
    def tasks(self) -> Columns:
        """Units of work."""
        return self._stored.table("tasks")

    @property
    def phases(self) -> Columns:
        """Intervals: the run, its processes, and what they marked."""
        return self._stored.table("phases")

    @property
    def edges(self) -> Columns:
        """Dependencies."""
        return self._stored.table("edges")

    @property
    def processes(self) -> Columns:
        """Processes."""
        return self._stored.table("processes")

    @property
    def hosts(self) -> Columns:
        """Machines."""
        return self._stored.table("hosts")

    @property
    def clocks(self) -> Columns:
        """Measured offsets of the hosts' clocks."""
        return self._stored.table("clocks")

    @property
    def resources(self) -> Columns:
        """Limited things whose use was sampled."""
        return self._stored.table("resources")

    @property
    def samples(self) -> Columns:
        """Mean use of resources over intervals."""
        return self._stored.table("samples")

    @property
    def totals(self) -> Columns:
        """What the run and its processes used in all."""
        return self._stored.table("totals")

    @property
    def files(self) -> Columns:
        """Files that were opened, where that was recorded."""
        return self._stored.table("files")

    @property
    def opens(self) -> Columns:
        """Which process opened which file."""
        return self._stored.table("opens")

    def query(self, sql: str) -> Columns:
        """Return what a SELECT statement answers; it sees the tables of this run and nothing else.

        Raises:
            QueryError: The statement is refused or wrong.
        """
        return ask_run(self._stored, sql).columns

    def overview(self) -> Overview:
        """Return the run in one screen, as ``longpole show --json`` has it."""
        from longpole.app.overview import overview_of

        return overview_of(self._stored)

    def roofline(self, machine: str = "") -> Roofline:
        """Return what bounds the run on a machine, as ``longpole roofline --json`` has it.

        Args:
            machine: Its name or file; '' for the one that ran it.

        Raises:
            DamagedRunError: Some of the run cannot be read.
            UsageError: There is no such machine, or its file is wrong.
        """
        from longpole.analyse.roofline import roofline
        from longpole.app.repeats import case_on

        return roofline(case_on(self._stored, machine))

    def to_arrow(self, table: str = "phases") -> pa.Table:
        """Return a table for Arrow.

        Raises:
            MissingLibraryError: pyarrow is not installed.
        """
        return self._stored.arrow(table)

    def to_pandas(self, table: str = "phases") -> pd.DataFrame:
        """Return a table for pandas.

        Raises:
            MissingLibraryError: pandas is not installed.
        """
        return self._stored.pandas(table)

    def close(self) -> None:
        """Let memory and temporary files go; the run can be asked again."""
        self._stored.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, failure: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        ended = "" if self.exit_code is None else f", exit code {self.exit_code}"
        return f"<Run {self.id} '{self.name}', {self.state.value}{ended}>"

    def _repr_html_(self) -> str:
        from longpole.present.notebook import overview_html

        return overview_html(self.overview())
