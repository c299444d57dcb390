"""Tables of results from stored runs: each run is read for what its table needs, and let go."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.analyse.tables.build import build_table
from longpole.app.model_uses import model_uses_of
from longpole.app.progress import progress
from longpole.app.run_outline import run_outline_of
from longpole.app.run_times import run_times_of
from longpole.app.run_use import run_use_of
from longpole.errors import DamagedRunError, UsageError
from longpole.model.result_table import Like, ResultTable
from longpole.model.run_result import RunResult
from longpole.store.run import StoredRun, open_run
from longpole.store.selection import runs_folder
from longpole.store.several import find_runs

_NEEDS_USE = (Like.PLAIN, Like.III, Like.IV)
_NEEDS_OUTLINE = (Like.II, Like.IV)


def table(*names: str, like: str = Like.PLAIN, runs: str = "") -> ResultTable:
    """Return a table of runs, as ``longpole table`` shows it.

    Args:
        names: Which runs: ids, beginnings of ids, folders, ``latest`` (the default) or ``latest:NAME``.
        like: ``I``, ``II``, ``III`` or ``IV``, as the paper has them; ``plain`` for none of these.
        runs: The folder of runs; '' for the usual one.

    Raises:
        UsageError: There is no such table.
        LongpoleError: A run is not there, or some of it cannot be read.
    """
    if like not in tuple(Like):
        raise UsageError(f"There is no table like '{like}'. There are {', '.join(Like)}.")
    found, damage = table_of_runs(names or ("latest",), Like(like), runs)
    if damage is not None:
        raise damage
    return found


def table_of_runs(
    names: Sequence[str], like: Like, runs: str = ""
) -> tuple[ResultTable, DamagedRunError | None]:
    """Return a table of runs, and what is damaged of the first that is; one that is named twice counts once.

    Args:
        names: Which runs: ids, beginnings of ids, folders, ``latest`` or ``latest:NAME``; or names of runs or
            of a series, or patterns of such names: all of them.
        like: Which table.
        runs: The folder of runs; '' for the usual one.

    Raises:
        LongpoleError: A run is not there, or nothing of any can be read.
    """
    results: list[RunResult] = []
    damage: DamagedRunError | None = None
    entries = find_runs(names, runs_folder(runs))
    with progress("Reading runs", len(entries)) as done:
        for entry in entries:
            try:
                with open_run(entry.path) as stored:
                    results.append(result_of(stored, like))
                    damage = damage or stored.damage()
            except DamagedRunError as error:
                damage = damage or error
            done(1)
    if damage is not None and not results:
        raise damage
    return build_table(like, results), damage


def result_of(run: StoredRun, like: Like) -> RunResult:
    """Return what a table needs of one run."""
    times = run_times_of(run)
    return RunResult(
        times=times,
        use=run_use_of(run, times) if like in _NEEDS_USE else None,
        outline=run_outline_of(run, times) if like in _NEEDS_OUTLINE else None,
        models=model_uses_of(run) if like is Like.I else (),
    )
