from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.blame import Labels
from longpole.analyse.timeline import Held, Intervals, timeline
from longpole.model.timeline import Bar, Level, Piece

S = 1_000_000_000
# Label, kind, begin and end in seconds, how it ended.
One = tuple[str, str, float, float, str]


def words(values: Sequence[str]) -> Labels:
    distinct = tuple(dict.fromkeys(values))
    return Labels(np.array([distinct.index(value) for value in values], np.int64), distinct)


def intervals(*ones: One) -> Intervals:
    label, kind, starts, ends, status = zip(*ones, strict=True) if ones else ((), (), (), (), ())
    begun, ended = (np.array([round(at * S) for at in moments], np.int64) for moments in (starts, ends))
    return Intervals(words(label), words(kind), words(status), begun, ended)


def work(label: str, start: float, end: float, status: str = "ok") -> One:
    return label, "exec", start, end, status


def test_intervals_of_one_label_share_rows():
    line = timeline(intervals(work("b", 3, 9), work("a", 0, 2), work("a", 1, 4), work("a", 2, 3)))

    assert [(row.label, row.bars) for row in line.rows] == [
        ("a", (Bar(0.0, 2.0, "ok"), Bar(2.0, 3.0, "ok"))),
        ("a", (Bar(1.0, 4.0, "ok"),)),
        ("b", (Bar(3.0, 9.0, "ok"),)),
    ]
    assert (line.length_s, line.left_out, line.left_out_bars) == (9.0, 0, 0)


def test_one_label_of_two_kinds_has_a_row_for_each():
    line = timeline(intervals(("a", "queue", 0, 1, "ok"), ("a", "exec", 1, 2, "ok")))

    assert [row.kind for row in line.rows] == ["queue", "exec"]


def test_longest_labels_are_kept_and_the_rest_is_counted():
    line = timeline(
        intervals(work("short", 0, 1), work("long", 1, 9), work("longer", 1, 10), work("short", 4, 5)),
        most_rows=2,
    )

    assert [row.label for row in line.rows] == ["long", "longer"]
    assert (line.left_out, line.left_out_bars) == (1, 2)
    assert line.length_s == 10.0


def test_every_label_has_a_row_before_any_has_two():
    wide = [work("wide", 0, 10) for _ in range(9)]

    line = timeline(intervals(*wide, work("a", 0, 1), work("b", 2, 3)), most_rows=4)

    assert [row.label for row in line.rows] == ["wide", "wide", "a", "b"]
    assert (line.left_out, line.left_out_bars) == (7, 7)


def test_what_is_on_the_critical_path_is_kept():
    line = timeline(intervals(work("long", 0, 9), work("path", 9, 10)), [(1, 9 * S, 10 * S)], most_rows=1)

    assert [row.label for row in line.rows] == ["path"]


def test_critical_path_lies_in_the_rows_of_its_intervals():
    two = intervals(work("a", 0, 4), work("b", 2, 9))

    line = timeline(two, [(0, 0, 4 * S), (1, 4 * S, 6 * S), (1, 6 * S, 9 * S)])

    assert line.critical == (Piece(0, 0.0, 4.0), Piece(1, 4.0, 9.0))


def test_wait_is_drawn_as_far_as_its_row_is_free():
    two = intervals(work("a", 0, 4), work("a", 6, 9))

    line = timeline(two, [(0, 0, 2 * S), (1, 2 * S, 6 * S), (1, 6 * S, 9 * S)])

    assert line.critical == (Piece(0, 0.0, 2.0), Piece(0, 4.0, 9.0))


def test_profile_counts_work_and_no_waits():
    line = timeline(
        intervals(("a", "queue", 0, 2, "ok"), ("a", "exec", 2, 6, "ok"), ("b", "exec", 4, 6, "ok"))
    )

    assert line.profile == (Level(0.0, 0.0), Level(2.0, 1.0), Level(4.0, 2.0), Level(6.0, 0.0))
    assert (line.peak, line.mean) == (2, 1.5)


def test_run_may_be_longer_than_its_intervals():
    line = timeline(intervals(work("a", 2, 4)), window_ns=(1 * S, 10 * S))

    assert line.length_s == 9.0
    assert line.rows[0].bars == (Bar(1.0, 3.0, "ok"),)


def test_nothing_makes_an_empty_time_line():
    assert timeline(intervals()).rows == ()
    assert timeline(intervals(), window_ns=(S, 3 * S)).length_s == 2.0


def test_bars_too_short_to_be_told_apart_become_one():
    many = [work("step", at / 1000, at / 1000 + 0.0005) for at in range(20_000)]

    line = timeline(intervals(*many, work("step", 25, 30, "failed")))

    [row] = line.rows
    assert [bar.number for bar in row.bars] == [20_000, 1]
    assert row.bars[-1] == Bar(25.0, 30.0, "failed")
    assert (line.shown_bars, line.peak) == (20_001, 1)
    assert len(line.profile) <= 2050


def test_failed_one_among_many_is_still_seen():
    many = [
        work("step", at / 1000, at / 1000 + 0.0005, "failed" if at == 77 else "ok") for at in range(10_000)
    ]

    [row] = timeline(intervals(*many)).rows

    assert [(bar.status, bar.number) for bar in row.bars] == [("ok", 77), ("failed", 1), ("ok", 9922)]


ONES = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.sampled_from(["exec", "queue"]),
        st.integers(0, 50),
        st.integers(0, 15),
        st.sampled_from(["ok", "failed"]),
    ).map(lambda one: (one[0], one[1], float(one[2]), float(one[2] + one[3]), one[4])),
    max_size=40,
)


@given(ONES, st.one_of(st.none(), st.integers(0, 12)), st.data())
def test_all_is_shown_or_counted_and_nothing_overlaps(
    ones: list[One], most: int | None, data: st.DataObject
) -> None:
    held = _held(ones, data)

    line = timeline(intervals(*ones), held, most_rows=most)

    assert line.shown_bars + line.left_out_bars == len(ones)
    assert most is None or len(line.rows) <= most
    assert most is not None or line.left_out == 0
    for row in line.rows:
        assert all(before.end_s <= after.start_s for before, after in pairwise(row.bars))
    assert line.peak == max((level.running for level in line.profile), default=0)


@given(ONES, st.integers(0, 12))
def test_labels_stand_in_the_order_of_their_begins(ones: list[One], most: int) -> None:
    line = timeline(intervals(*ones), most_rows=most)

    begins = [min(one[2] for one in ones if one[:2] == (row.label, row.kind)) for row in line.rows]
    assert begins == sorted(begins)
    names = [(row.label, row.kind) for row in line.rows]
    assert len([1 for name, after in pairwise(names) if name != after]) == max(0, len(set(names)) - 1)


def _held(ones: list[One], data: st.DataObject) -> list[Held]:
    """Whole intervals that do not overlap, as a critical path is."""
    held, reached = [], 0.0
    for at, one in sorted(enumerate(ones), key=lambda found: found[1][2]):
        if one[2] >= reached and one[3] > one[2] and data.draw(st.booleans()):
            held.append((at, round(one[2] * S), round(one[3] * S)))
            reached = one[3]
    return held


@pytest.mark.parametrize("most", [1, 3, 30])
def test_rows_never_exceed_what_is_asked(most: int) -> None:
    ones = [work(f"label {at % 50}", at % 7, at % 7 + 3) for at in range(400)]

    line = timeline(intervals(*ones), most_rows=most)

    assert len(line.rows) == most
    assert line.shown_bars + line.left_out_bars == 400
