"""Dependencies of tasks: from lists of names to pairs of rows, and what tasks hand over to each other.

Parents and children are both read: one of them may be missing or have less. A dependency counts once. Where
none at all is declared, tasks depend on those that write the files they read.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import numpy as np

from longpole.exchange.unreadable import UnreadableFileError
from longpole.exchange.wfformat_instance import Files, Whole, shown

_AMBIGUOUS = -2
_NOBODY = -1


class Numbers(dict[str, int]):
    """Numbers for texts, from 0, in the order in which they are first asked for."""

    def __missing__(self, text: str) -> int:
        """Give the next number to a text that has none."""
        number = self[text] = len(self)
        return number


class Lists:
    """Lists of texts, one for each task, kept as numbers."""

    def __init__(self, numbers: Numbers) -> None:
        """Take the numbers of texts; several may share them."""
        self._number = numbers.__getitem__
        self._values = array("q")
        self._lengths = array("q")

    def add(self, texts: Sequence[str] | None) -> None:
        """Add the list of the next task."""
        if texts:
            self._values.extend(map(self._number, texts))
            self._lengths.append(len(texts))
        else:
            self._lengths.append(0)

    def pairs(self) -> tuple[Whole, Whole]:
        """Return, for each text in each list, whose list it is in, and its number."""
        lengths = np.array(self._lengths, np.int64)
        return np.repeat(np.arange(len(lengths)), lengths), np.array(self._values, np.int64)


class Dependencies:
    """Who names whom as parent or child, while tasks are read one by one."""

    def __init__(self) -> None:
        """Start with none."""
        self._numbers = Numbers()
        self._owners = array("q")
        self._parents = Lists(self._numbers)
        self._children = Lists(self._numbers)

    def add(self, identity: str, parents: Sequence[str] | None, children: Sequence[str] | None) -> None:
        """Add the next task, by its id."""
        self._owners.append(self._numbers[identity])
        self._parents.add(parents)
        self._children.add(children)

    def rows(self) -> Whole:
        """Return the task of each text by its number; below 0 where it is the id of none.

        Raises:
            UnreadableFileError: Several tasks have one id, or one has none.
        """
        owners = np.array(self._owners, np.int64)
        counts = np.bincount(owners, minlength=len(self._numbers))
        if counts.max(initial=0) > 1:
            several = self._text(int(np.argmax(counts > 1)))
            raise UnreadableFileError(f"several tasks have the id {shown(several)}.")
        rows = np.full(len(self._numbers), _NOBODY, np.int64)
        rows[owners] = np.arange(len(owners))
        if "" in self._numbers and rows[self._numbers[""]] >= 0:
            raise UnreadableFileError("a task has no id.")
        return rows

    def finder(self) -> Callable[[str], int | None]:
        """Return a function that finds the task of an id.

        Raises:
            UnreadableFileError: Several tasks have one id, or one has none.
        """
        rows, number_of = self.rows().tolist(), self._numbers.get

        def find(identity: str) -> int | None:
            number = number_of(identity)
            return None if number is None or rows[number] < 0 else rows[number]

        return find

    def edges(self, names: Sequence[str]) -> tuple[Whole, Whole]:
        """Return each dependency once: who comes first, and who needs it.

        Args:
            names: What tasks are called: a name that only one has can stand for its id.

        Raises:
            UnreadableFileError: A parent or child is no task.
        """
        meant = self._meant(names)
        afters, parents = self._named(self._parents)
        befores, children = self._named(self._children)
        self._check(meant, afters, parents, "parent", names)
        self._check(meant, befores, children, "child", names)
        every = np.concatenate([meant[parents], befores]), np.concatenate([afters, meant[children]])
        return distinct_pairs(every[0], every[1], len(names))

    def _named(self, lists: Lists) -> tuple[Whole, Whole]:
        """Return lists as pairs without empty texts: those name nobody."""
        owners, texts = lists.pairs()
        if "" not in self._numbers:
            return owners, texts
        real = texts != self._numbers[""]
        return owners[real], texts[real]

    def _meant(self, names: Sequence[str]) -> Whole:
        """Return the task that each text means; nobody, or one of several, is below 0."""
        meant = self.rows()
        if (meant >= 0).all():
            return meant
        unknown = {text for text, number in self._numbers.items() if meant[number] < 0}
        for row, name in enumerate(names):
            if name in unknown:
                number = self._numbers[name]
                meant[number] = row if meant[number] == _NOBODY else _AMBIGUOUS
        return meant

    def _text(self, number: int) -> str:
        return next(text for text, one in self._numbers.items() if one == number)

    def _check(self, meant: Whole, owners: Whole, texts: Whole, what: str, names: Sequence[str]) -> None:
        wrong = np.flatnonzero(meant[texts] < 0)
        if len(wrong):
            number, owner = int(texts[wrong[0]]), names[int(owners[wrong[0]])]
            why = "no task" if meant[number] == _NOBODY else "the name of several tasks"
            text = shown(self._text(number))
            raise UnreadableFileError(f"task {shown(owner)} has the {what} {text}, which is {why}.")


def distinct_pairs(firsts: Whole, seconds: Whole, count: int) -> tuple[Whole, Whole]:
    """Return each pair of numbers below ``count`` once, in order of the first, then of the second."""
    keys = np.sort(firsts * count + seconds)
    keys = keys[np.diff(keys, prepend=-1) != 0]  # faster than np.unique
    return keys // max(count, 1), keys % max(count, 1)


def handed_over(files: Files) -> tuple[Whole, Whole, Whole]:
    """Return each file that one task writes and another reads: the writer, the reader, and the file.

    A file that several tasks write is left out: which of them hands it over is not known.
    """
    writers = np.full(len(files.names), _NOBODY, np.int64)
    counts = np.bincount(files.used[files.written], minlength=len(files.names))
    writers[files.used[files.written]] = files.used_by[files.written]
    writers[counts != 1] = _NOBODY
    readers, read = files.used_by[~files.written], files.used[~files.written]
    befores = writers[read]
    real = (befores != _NOBODY) & (befores != readers)
    return befores[real], readers[real], read[real]
