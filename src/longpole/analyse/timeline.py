"""A run over time: intervals in rows, few enough to be drawn.

Method: intervals of one label and kind share as few rows as do not overlap (``packing``). Where that makes
too many rows, the labels of most weight are kept, each with one row, then with another as long as there is
room; the rows of a label that are kept are those of most weight. Weight is the share of all time in bars plus
the share of the critical path. Labels stand in the order in which they first begin. What is not shown is
counted.

Left out: the gaps between bars that are shorter than 1/4096 of the run, where the bars are as short; these
become one bar that stands for several. An interval that ends before it begins is taken to last no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.blame import Labels
from longpole.analyse.graph import Whole
from longpole.analyse.packing import packed
from longpole.analyse.profile import Profile, profile
from longpole.analyse.tree import WAITS
from longpole.model.timeline import Bar, Level, Piece, Row, Timeline

Weights = NDArray[np.float64]
# Place of an interval, and from when to when it is on the critical path.
Held = tuple[int, int, int]
_GRAINS = 4096
_MOST_LEVELS, _PIECES = 4096, 2048


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """What is to be drawn, one place for each interval.

    Attributes:
        label: What to call each.
        kind: Its kind; waits do not count as running.
        status: How it ended.
        start_ns: When it began.
        end_ns: When it ended.
        running: Which count as running, for how many did at once; None for all but waits.
    """

    label: Labels
    kind: Labels
    status: Labels
    start_ns: Whole
    end_ns: Whole
    running: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.start_ns)


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """All rows, before some are chosen.

    Attributes:
        of: The line of each interval.
        group: The label and kind of each line, as one number.
        begin_ns: When each group first begins.
        order: Places of intervals by line, and in the order of time within it.
        first: Where each line begins in that order; one more than there are lines.
    """

    of: Whole
    group: Whole
    begin_ns: Whole
    order: Whole
    first: Whole

    def places(self, line: int) -> Whole:
        """Return the intervals of a line in the order of time."""
        return self.order[int(self.first[line]) : int(self.first[line + 1])]


def timeline(
    intervals: Intervals,
    critical: Sequence[Held] = (),
    *,
    most_rows: int | None = 30,
    window_ns: tuple[int, int] | None = None,
) -> Timeline:
    """Return a run over time in at most so many rows; None for all of them.

    Args:
        intervals: What is to be drawn.
        critical: The critical path in the order of time: place of an interval, from when, to when. What lies
            before the interval is its wait, and is drawn as far as its row is free.
        most_rows: How many rows there may be.
        window_ns: Begin and end of the run, where intervals do not fill it.
    """
    if not len(intervals):
        begin, end = window_ns or (0, 0)
        return Timeline((), (end - begin) / 1e9)
    starts, ends = intervals.start_ns, np.maximum(intervals.start_ns, intervals.end_ns)
    begin, end = _window(starts, ends, window_ns)
    clean = replace(intervals, start_ns=starts - begin, end_ns=ends - begin)
    held = np.array([(at, since - begin, until - begin) for at, since, until in critical], np.int64)
    return _drawn(clean, held.reshape(-1, 3), end - begin, most_rows)


def _window(starts: Whole, ends: Whole, asked: tuple[int, int] | None) -> tuple[int, int]:
    begin, end = int(starts.min()), int(ends.max())
    return (begin, end) if asked is None else (min(begin, asked[0]), max(end, asked[1]))


def _drawn(intervals: Intervals, held: Whole, length_ns: int, most_rows: int | None) -> Timeline:
    lines = _lines(intervals)
    shown = _chosen(_weights(intervals, held, lines), lines, most_rows)
    rows = tuple(_row(intervals, lines.places(line), length_ns // _GRAINS) for line in shown.tolist())
    levels = _running(intervals)
    bars = sum(len(lines.places(line)) for line in shown.tolist())
    return Timeline(
        rows=rows,
        length_s=length_ns / 1e9,
        profile=tuple(_levels(levels)),
        critical=tuple(_joined(_pieces(intervals, held, lines, shown))),
        peak=levels.peak,
        mean=levels.mean(),
        left_out=len(lines.group) - len(rows),
        left_out_bars=len(intervals) - bars,
    )


def _lines(intervals: Intervals) -> _Lines:
    starts, ends = intervals.start_ns, intervals.end_ns
    keys = intervals.label.codes * len(intervals.kind.words) + intervals.kind.codes
    groups = np.unique(keys, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((ends, starts, groups))
    cuts = np.flatnonzero(np.diff(groups[order])) + 1
    of = np.zeros(len(intervals), np.int64)
    group: list[int] = []
    for number, (low, high) in enumerate(pairwise([0, *cuts.tolist(), len(order)])):
        members = order[low:high]
        rows = packed(starts[members], ends[members])
        of[members] = rows + len(group)
        group += [number] * (int(rows.max()) + 1)
    begins = starts[order[np.concatenate([[0], cuts])]]
    by_line = np.lexsort((ends, starts, of))
    first = np.concatenate([[0], np.cumsum(np.bincount(of))])
    return _Lines(of, np.array(group, np.int64), begins, by_line, first)


def _weights(intervals: Intervals, held: Whole, lines: _Lines) -> Weights:
    count = len(lines.group)
    took = (intervals.end_ns - intervals.start_ns).astype(np.float64)
    busy = np.bincount(lines.of, took, count)
    on_path = np.bincount(lines.of[held[:, 0]], (held[:, 2] - held[:, 1]).astype(np.float64), count)
    weights: Weights = busy / max(1.0, busy.sum()) + on_path / max(1.0, on_path.sum())
    return weights


def _chosen(weights: Weights, lines: _Lines, most: int | None) -> Whole:
    """Return the lines to show, in the order to show them."""
    every = np.arange(len(weights))
    if most is not None and len(every) > most:
        heaviest = np.argsort(-np.bincount(lines.group, weights), kind="stable")[:most].tolist()
        given = _shared([int(np.sum(lines.group == group)) for group in heaviest], most)
        kept = [
            _heaviest(np.flatnonzero(lines.group == group), weights, rows)
            for group, rows in zip(heaviest, given, strict=True)
        ]
        every = np.concatenate([every[:0], *kept])
    group = lines.group[every]
    chosen: Whole = every[np.lexsort((every, group, lines.begin_ns[group]))]
    return chosen


def _shared(wanted: list[int], most: int) -> list[int]:
    """Return how many rows each label gets: one each, then another each, as long as there are any."""
    given = [0] * len(wanted)
    while most > 0 and given != wanted:
        for at, rows in enumerate(wanted):
            if given[at] < rows and most > 0:
                given[at] += 1
                most -= 1
    return given


def _heaviest(lines: Whole, weights: Weights, most: int) -> Whole:
    found: Whole = lines[np.argsort(-weights[lines], kind="stable")[:most]]
    return found


def _row(intervals: Intervals, places: Whole, grain_ns: int) -> Row:
    label, kind = intervals.label.of(int(places[0])), intervals.kind.of(int(places[0]))
    return Row(label, kind, tuple(_bars(intervals, places, grain_ns)))


def _bars(intervals: Intervals, places: Whole, grain_ns: int) -> Iterator[Bar]:
    """Yield the bars of a row; short ones that are near each other, and ended alike, as one."""
    starts, ends, status = (
        column[places] for column in (intervals.start_ns, intervals.end_ns, intervals.status.codes)
    )
    short = ends - starts < grain_ns
    near = (starts[1:] - ends[:-1] < grain_ns) & short[1:] & short[:-1] & (status[1:] == status[:-1])
    cuts = (np.flatnonzero(~near) + 1).tolist()
    for low, high in pairwise([0, *cuts, len(places)]):
        how = intervals.status.of(int(places[low]))
        yield Bar(int(starts[low]) / 1e9, int(ends[high - 1]) / 1e9, how, high - low)


def _running(intervals: Intervals) -> Profile:
    waits = [at for at, kind in enumerate(intervals.kind.words) if kind in WAITS]
    working = intervals.running if intervals.running is not None else ~np.isin(intervals.kind.codes, waits)
    return profile(intervals.start_ns[working], intervals.end_ns[working])


def _levels(running: Profile) -> Iterator[Level]:
    """Yield how many ran at once; means of short times where it changes too often to be drawn."""
    at_ns = running.at_ns.astype(np.float64)
    levels = running.running.astype(np.float64)
    if len(at_ns) > _MOST_LEVELS:
        levels = np.append(running.means(_PIECES), 0.0)
        at_ns = np.linspace(at_ns[0], at_ns[-1], _PIECES + 1)
    if len(at_ns) and at_ns[0] > 0:
        yield Level(0.0, 0.0)
    for moment, level in zip((at_ns / 1e9).tolist(), levels.tolist(), strict=True):
        yield Level(moment, level)


def _pieces(intervals: Intervals, held: Whole, lines: _Lines, shown: Whole) -> Iterator[Piece]:
    """Yield the critical path in rows that are shown, as far as no other bar is in its place."""
    row_of = np.full(len(lines.group), -1)
    row_of[shown] = np.arange(len(shown))
    free_ns = _free_since(intervals, lines)
    for place, since_ns, until_ns in held.tolist():
        row = int(row_of[lines.of[place]])
        start, end = max(since_ns, int(free_ns[place])), min(until_ns, int(intervals.end_ns[place]))
        if row >= 0 and start < end:
            yield Piece(row, start / 1e9, end / 1e9)


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield neighbours of one row that meet as one piece."""
    last: Piece | None = None
    for piece in pieces:
        if last is not None and last.row == piece.row and last.end_s == piece.start_s:
            last = Piece(piece.row, last.start_s, piece.end_s)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _free_since(intervals: Intervals, lines: _Lines) -> Whole:
    """Return since when the row of each interval has been free before it."""
    free = np.zeros(len(intervals), np.int64)
    before, after = lines.order[:-1], lines.order[1:]
    same = lines.of[before] == lines.of[after]
    free[after[same]] = intervals.end_ns[before[same]]
    return free
