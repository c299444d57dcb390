"""Tasks and files of an instance while they are read one by one: kept as columns, checked as a whole."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from longpole.exchange.cycles import check_order
from longpole.exchange.unreadable import UnreadableFileError
from longpole.exchange.wfformat_graph import (
    Dependencies,
    Lists,
    Numbers,
    distinct_pairs,
    handed_over,
)
from longpole.exchange.wfformat_instance import NS, UNKNOWN, Files, Real, Tasks, Whole, shown
from longpole.exchange.wfformat_schema import ExecutedTask, Number, SpecifiedTask
from longpole.exchange.wfformat_times import Moments
from longpole.exchange.wfformat_types import is_named_for, types_of

# Beyond these nothing fits into a column: 126 years, four exabytes; a name is a name, and no book.
_LONGEST_S = 4e9
_LARGEST_BYTES = 1 << 62
_MOST = 1e18
_VALUES = 6
_ID_LETTERS = 1 << 16
_NAN = float("nan")
Value = TypeVar("Value", np.int64, np.float64)


class Specified:
    """Tasks with their dependencies and files, as they are declared."""

    def __init__(self) -> None:
        """Start with none."""
        self.ids: list[str] = []
        self.names: list[str] = []
        self.categories: list[str | None] = []
        self._dependencies = Dependencies()
        self._files = Numbers()
        self._sizes = array("q")
        self._inputs = Lists(self._files)
        self._outputs = Lists(self._files)

    def add(self, task: SpecifiedTask) -> None:
        """Add a task; its files may be added before or not at all."""
        self.ids.append(task.id)
        self.names.append(task.id if task.name == task.id else task.name or task.id)  # one text, not two
        self.categories.append(task.category)
        self._dependencies.add(task.id, task.parents, task.children)
        self._inputs.add(task.input_files)
        self._outputs.add(task.output_files)

    def add_file(self, name: str, size: Number | None) -> None:
        """Add a file, or what is known of one; a size below 0 is none.

        Raises:
            UnreadableFileError: It is larger than anything.
        """
        if size is not None and size >= _LARGEST_BYTES:
            raise UnreadableFileError(f"file {shown(name)} has a size that cannot be.")
        known = UNKNOWN if size is None or size < 0 else int(size)
        number = self._files[name]
        if number == len(self._sizes):
            self._sizes.append(known)
        elif self._sizes[number] == UNKNOWN:
            self._sizes[number] = known

    def finder(self) -> Callable[[str], int | None]:
        """Return a function that finds the row of an id.

        Raises:
            UnreadableFileError: There is no task, or one has no id of its own.
        """
        if not self.ids:
            raise UnreadableFileError("its list of tasks is empty.")
        longest = max(map(len, self.ids))
        if longest > _ID_LETTERS:
            raise UnreadableFileError(
                f"the id of a task has {longest:,} letters; {_ID_LETTERS:,} can be read."
            )
        return self._dependencies.finder()

    def files(self) -> Files:
        """Return the files and who uses them; one that only a task names has no known size."""
        names = list(self._files)
        sizes = np.full(len(names), UNKNOWN, np.int64)
        sizes[: len(self._sizes)] = np.array(self._sizes, np.int64)
        (readers, read), (writers, wrote) = self._inputs.pairs(), self._outputs.pairs()
        turns = np.concatenate([read * 2, wrote * 2 + 1])  # a file and a direction as one number
        users, turned = distinct_pairs(np.concatenate([readers, writers]), turns, 2 * max(len(names), 1))
        return Files(names, sizes, users, turned // 2, turned % 2 == 1)

    def edges(self, files: Files) -> tuple[Whole, Whole, bool]:
        """Return who comes before whom, and whether only files tell that.

        Raises:
            UnreadableFileError: A task depends on none that is there, or in the end on itself.
        """
        befores, afters = self._dependencies.edges(self.names)
        by_files = not len(befores)
        if by_files:
            befores, afters = distinct_pairs(*handed_over(files)[:2], len(self.names))
        check_order(befores, afters, self.names)
        return befores, afters, by_files and len(befores) > 0


class Executed:
    """What tasks took, in any order."""

    def __init__(self, names: Sequence[str], moments: Moments) -> None:
        """Take what the tasks are called, by row; more may come."""
        self._names = names
        self._moments = moments
        self._rows = array("q")
        self._values = array("d")
        self._starts = array("q")
        self._sets: dict[tuple[str, ...], int] = {(): 0}
        self._machines = array("q")
        self._programs: dict[str | None, int] = {None: 0}
        self._programs_of = array("q")

    def add(self, row: int, task: ExecutedTask) -> None:
        """Add what the task of a row took; without a runtime it did not run."""
        start_ns = self._moments.ns(task.executed_at)
        program = (task.command.program or "").rpartition("/")[2] if task.command else ""
        fitting = program if program and is_named_for(self._names[row], program) else None
        self._rows.append(row)
        self._values.extend([_NAN if value is None else value for value in _values(task)])
        self._starts.append(UNKNOWN if start_ns is None else start_ns)
        self._machines.append(self._sets.setdefault(tuple(task.machines or ()), len(self._sets)))
        self._programs_of.append(self._programs.setdefault(fitting, len(self._programs)))

    def tasks(self, specified: Specified) -> Tasks:
        """Return all tasks, those that did not run as well.

        Raises:
            UnreadableFileError: One ran twice, or for a time that cannot be.
        """
        rows = np.array(self._rows, np.int64)
        self._check_once(rows)
        values = np.array(self._values, np.float64).reshape(-1, _VALUES)
        self._check_runtimes(rows, values[:, 0])
        count = len(specified.ids)
        runtime_s, cores, cpu_percent, read, written, memory = (
            _placed(rows, np.where((column < 0) | (column > _MOST), _NAN, column), count, _NAN)
            for column in values.T
        )
        runtime_ns = np.rint(np.nan_to_num(runtime_s) * NS).astype(np.int64)
        return Tasks(
            specified.ids,
            specified.names,
            types_of(specified.names, specified.categories, self._programs_by_row(rows, count)),
            ~np.isnan(runtime_s),
            runtime_ns,
            _placed(rows, np.array(self._starts, np.int64), count, UNKNOWN),
            cores,
            np.rint(cpu_percent / 100 * runtime_ns),
            read,
            written,
            memory,
            tuple(self._sets),
            _placed(rows, np.array(self._machines, np.int64), count, 0),
        )

    def _programs_by_row(self, rows: Whole, count: int) -> list[str | None]:
        words = list(self._programs)
        placed = _placed(rows, np.array(self._programs_of, np.int64), count, 0)
        return [words[number] for number in placed.tolist()]

    def _check_once(self, rows: Whole) -> None:
        counts = np.bincount(rows, minlength=1)
        if counts.max() > 1:
            name = self._names[int(np.argmax(counts > 1))]
            raise UnreadableFileError(f"its execution has task {shown(name)} more than once.")

    def _check_runtimes(self, rows: Whole, runtimes_s: Real) -> None:
        wrong = np.flatnonzero((runtimes_s < 0) | (runtimes_s > _LONGEST_S))
        if len(wrong):
            name = self._names[int(rows[wrong[0]])]
            raise UnreadableFileError(
                f"task {shown(name)} has a runtime of {runtimes_s[wrong[0]]:g} s, which cannot be."
            )


def makespan_ns(seconds: float | None) -> int | None:
    """Return a makespan.

    Raises:
        UnreadableFileError: It cannot be one.
    """
    if seconds is None:
        return None
    if not 0 <= seconds <= _LONGEST_S:
        raise UnreadableFileError(f"its makespanInSeconds is {seconds:g}, which cannot be.")
    return round(seconds * NS)


def _values(task: ExecutedTask) -> tuple[float | None, ...]:
    return (
        task.runtime_s,
        task.cores,
        task.cpu_percent,
        task.read_bytes,
        task.written_bytes,
        task.memory_bytes,
    )


def _placed(rows: Whole, values: NDArray[Value], count: int, otherwise: float) -> NDArray[Value]:
    """Return values by row; ``otherwise`` where there is none."""
    placed = np.full(count, otherwise, values.dtype)
    placed[rows] = values
    return placed
