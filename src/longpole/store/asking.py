"""Questions of users in SQL, to one run or to many at once; they read tables and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from longpole.errors import DamagedRunError, LongpoleError, QueryError
from longpole.model.columns import Columns
from longpole.model.execution import TABLES
from longpole.store.database import Database
from longpole.store.run import StoredRun, open_run
from longpole.store.sealed import sealed


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question was answered.

    Attributes:
        columns: The rows, at most as many as were asked for.
        total_rows: How many there are.
        runs: How many runs were asked.
        skipped: A sentence for each run that could not be asked.
        damage: What is wrong with the run, to be raised after its answer was shown.
    """

    columns: Columns
    total_rows: int
    runs: int = 1
    skipped: tuple[str, ...] = ()
    damage: DamagedRunError | None = None


def ask_run(run: StoredRun, sql: str, limit: int = 0) -> Answer:
    """Ask one run; ``limit`` rows at most, if above 0.

    Raises:
        QueryError: The statement is refused or wrong.
    """
    files = run.sound_tables().files()
    answer = _ask({name: files[name] for name in _named(sql)}, (), sql, limit)
    return Answer(*answer, damage=run.damage())


def ask_runs(paths: Iterable[Path], sql: str, limit: int = 0) -> Answer:
    """Ask many runs at once; each table has a column ``run`` before its others.

    Raises:
        QueryError: The statement is refused or wrong, or no run can be read.
    """
    names = _named(sql)
    files: dict[str, list[str]] = {name: [] for name in names}
    runs: list[str] = []
    skipped: list[str] = []
    with ExitStack() as stack:
        for path in paths:
            try:
                run = stack.enter_context(open_run(path))
                found = run.sound_tables().files()
            except LongpoleError as error:
                skipped.append(f"{path.name}: {error}")
                continue
            runs.append(run.manifest.id)
            for name in names:
                files[name] += found[name]
        if not runs:
            raise QueryError(f"There is no run to ask. {' '.join(skipped)}".strip())
        return Answer(*_ask(files, runs, sql, limit), runs=len(runs), skipped=tuple(skipped))


def _ask(files: dict[str, list[str]], runs: Sequence[str], sql: str, limit: int) -> tuple[Columns, int]:
    with sealed(path for paths in files.values() for path in paths) as copies:
        waiting = iter(copies)
        database = Database({name: [next(waiting) for _ in paths] for name, paths in files.items()}, runs)
        try:
            return database.ask(sql, limit)
        finally:
            database.close()


def _named(sql: str) -> list[str]:
    """Return the tables whose names occur in a statement: no others can be asked for."""
    lowered = sql.lower()
    return [name for name in TABLES if name in lowered]
