"""Data that processes handed over: by pipes while both ran, and by files that one wrote and another opened.

Method: a pipe joins processes of one host of which one has it as standard output and the other as standard
input, if they lived at the same time: numbers of pipes recur. Two lives overlap if one begins within the
other, so that pairs are ranges of sorted begins, found without looking at every pair. A file joins each
process that opened it, and did not write it, with those that had opened it before and wrote it; whether those
bytes were read, nobody knows. Pipes at other descriptors, sockets and shared memory are not seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longpole.store.derive.arrays import Arrays, Marks, Whole
from longpole.store.derive.known import Known

# Of each kind; beyond that a table of pairs helps nobody.
MOST_PAIRS = 1_000_000
_NEVER = np.iinfo(np.int64).max


def pairs_by_pipe(every: Sequence[Known]) -> tuple[Whole, ...]:
    """Return the ids of processes that wrote into a pipe, and of those that read from it."""
    outputs = {(known.host, known.stdout) for known in every if known.stdout}
    inputs = {(known.host, known.stdin) for known in every if known.stdin}
    numbers = {pipe: number for number, pipe in enumerate(sorted(outputs & inputs))}
    living = [known for known in every if known.start_ns is not None]
    writers = [known for known in living if (known.host, known.stdout) in numbers]
    readers = [known for known in living if (known.host, known.stdin) in numbers]
    wrote = _Lives(writers, [numbers[known.host, known.stdout] for known in writers])
    read = _Lives(readers, [numbers[known.host, known.stdin] for known in readers])
    return _together(wrote, read)


def pairs_by_file(opens: Arrays) -> tuple[Whole, ...]:
    """Return the ids of processes that wrote a file, of those that opened it then, and of the file.

    Of very many that wrote files, each that opened one is joined with the last of them only.
    """
    known = ~np.ma.getmaskarray(opens["first_ns"])
    columns = [np.ma.getdata(opens[name]) for name in ("process", "file", "first_ns", "written")]
    process, file, first_ns, written = (column[known].astype(np.int64) for column in columns)
    order = np.lexsort((first_ns, file))
    process, file, first_ns, made = process[order], file[order], first_ns[order], written[order] > 0
    keys = _keys(file, first_ns)
    begins = keys[np.searchsorted(file, file)]  # of the first that opened the same file
    low = np.searchsorted(keys[made], begins[~made])
    high = np.searchsorted(keys[made], keys[~made], side="right")
    if (high - low).sum() > MOST_PAIRS:
        low = np.maximum(low, high - max(1, MOST_PAIRS // len(high)))
    taker, maker = _spread(low, high)
    makers, takers, files = process[made][maker], process[~made][taker], file[~made][taker]
    others = makers != takers
    return _once(makers[others], takers[others], files[others])


class _Lives:
    """Processes at one end of pipes, in order of pipe and begin."""

    def __init__(self, processes: Sequence[Known], pipes: Sequence[int]) -> None:
        ends = [_NEVER if known.end_ns is None else known.end_ns for known in processes]
        start = np.array([known.start_ns for known in processes], np.int64)
        pipe = np.array(pipes, np.int64)
        order = np.lexsort((start, pipe))
        self.id = np.array([known.id for known in processes], np.int64)[order]
        self.pipe, self.start = pipe[order], start[order]
        self.end = np.array(ends, np.int64)[order]


def _together(wrote: _Lives, read: _Lives) -> tuple[Whole, ...]:
    """Return pairs of processes at both ends of a pipe whose lives overlap."""
    moments = np.concatenate([wrote.start, wrote.end, read.start, read.end])
    pipes = np.concatenate([wrote.pipe, wrote.pipe, read.pipe, read.pipe])
    cuts = np.cumsum([len(wrote.start), len(wrote.end), len(read.start)])
    wrote_start, wrote_end, read_start, read_end = np.split(_keys(pipes, moments), cuts)
    reader, writer = _spread(
        np.searchsorted(wrote_start, read_start), np.searchsorted(wrote_start, read_end, side="right")
    )
    first, later = _spread(
        np.searchsorted(read_start, wrote_start, side="right"),
        np.searchsorted(read_start, wrote_end, side="right"),
    )
    writers = wrote.id[np.concatenate([writer, first])]
    readers = read.id[np.concatenate([reader, later])]
    others = writers != readers
    return _once(writers[others][:MOST_PAIRS], readers[others][:MOST_PAIRS])


def _keys(groups: Whole, moments: Whole) -> Whole:
    """Return numbers that are in order of the groups and, within each, of the moments."""
    distinct, places = np.unique(moments, return_inverse=True)
    return groups * (len(distinct) + 1) + places


def _spread(low: Whole, high: Whole) -> tuple[Whole, Whole]:
    """Return which range, and which place within it, for all places of some ranges; so many at most."""
    counts = high - low
    before = np.cumsum(counts) - counts
    counts = np.clip(MOST_PAIRS - before, 0, counts)
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - before[which] + low[which]


def _once(*columns: Whole) -> tuple[Whole, ...]:
    """Return rows in order, each once."""
    order = np.lexsort(columns[::-1])
    rows = np.stack(columns)[:, order]
    fresh: Marks = np.ones(rows.shape[1], np.bool_)
    fresh[1:] = (rows[:, 1:] != rows[:, :-1]).any(axis=0)
    return tuple(rows[:, fresh])
