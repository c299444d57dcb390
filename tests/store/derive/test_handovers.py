"""Data handed over: pipes between processes that lived at once, files that one wrote and another opened."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.store.derive import handovers
from longpole.store.derive.arrays import integers
from longpole.store.derive.handovers import pairs_by_file, pairs_by_pipe
from longpole.store.derive.known import Known
from tests.builders import HandmadeRun, ms
from tests.store.derive.test_edges import edges

MOMENTS = st.integers(0, 6)
OPENS = st.tuples(st.integers(1, 4), st.integers(1, 2), MOMENTS | st.none(), st.booleans())


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


def process(identity: int, start: int | None, end: int | None, **facts: int) -> Known:
    known = Known(facts.get("host", 1), (0, identity))
    known.id, known.start_ns, known.end_ns = identity, start, end
    known.stdin, known.stdout = facts.get("stdin", 0), facts.get("stdout", 0)
    return known


def pairs(columns: tuple[np.ndarray, ...]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_pipe_leads_from_the_one_that_writes_to_the_one_that_reads(run):
    with run.log() as log:
        log.process(1, stdin=0, stdout=7)
        log.process(2, start=10, stdin=7, stdout=8)
        log.process(3, start=20, stdin=8, stdout=9)

    assert edges(run, "pipe") == [("p1", "p2"), ("p2", "p3")]


def test_a_pipe_is_that_of_the_program_a_process_became_not_of_its_parent(run):
    with run.log() as log:
        log.process(1, start=0, stdin=7)
        log.process(2, start=10, stdout=7)
        log.process(2, start=10, stdout=0)
        log.process(3, start=20, stdout=7)
        log.process(3, start=20)

    assert edges(run, "pipe") == [("p3", "p1")]


def test_a_log_without_pipes_has_no_such_edges(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=10)

    assert edges(run, "pipe") == []


def test_many_may_write_into_one_pipe():
    writers = [process(number, number, 50, stdout=7) for number in range(1, 5)]

    assert pairs(pairs_by_pipe([*writers, process(9, 3, 60, stdin=7)])) == [(1, 9), (2, 9), (3, 9), (4, 9)]


def test_a_number_that_recurs_after_an_end_or_on_another_host_is_another_pipe():
    writer = process(1, 0, 10, stdout=7)
    others = [process(2, 11, 20, stdin=7), process(3, 0, 10, stdin=7, host=2), process(4, None, 10, stdin=7)]

    assert pairs(pairs_by_pipe([writer, *others])) == []


def test_a_process_that_is_still_there_lives_to_the_end():
    assert pairs(pairs_by_pipe([process(1, 0, None, stdout=7), process(2, 90, None, stdin=7)])) == [(1, 2)]


def test_a_process_hands_nothing_to_itself():
    assert pairs(pairs_by_pipe([process(1, 0, 9, stdin=7, stdout=7)])) == []


@given(st.lists(st.tuples(MOMENTS, MOMENTS | st.none(), st.integers(0, 2), st.integers(0, 2)), max_size=8))
def test_pipes_are_those_of_every_pair_looked_at(rows):
    every = [
        process(number, start, None if took is None else start + took, stdin=stdin, stdout=stdout)
        for number, (start, took, stdin, stdout) in enumerate(rows, start=1)
    ]

    expected = [
        (one.id, other.id)
        for one, other in itertools.permutations(every, 2)
        if one.stdout and one.stdout == other.stdin
        if one.end_ns is None or (other.start_ns or 0) <= one.end_ns
        if other.end_ns is None or (one.start_ns or 0) <= other.end_ns
    ]
    assert pairs(pairs_by_pipe(every)) == sorted(expected)


def test_a_file_leads_from_the_one_that_wrote_it_to_one_that_opened_it_later(run):
    with run.log() as log:
        log.process(1)
        log.process(2, start=1)
        log.process(3, start=2)
        log.note("opened", number=3, path="/out", first=ms(5))
        log.note("opened", number=1, path="/out", first=ms(10), written=1)
        log.note("opened", number=2, path="/out", first=ms(20))
        log.note("opened", number=2, path="/in", first=ms(20))

    assert edges(run, "data") == [("p1", "p2")]
    named = "SELECT name FROM edges JOIN files ON files.id = edges.file WHERE kind = 'data'"
    assert list(run.open().query(named)["name"]) == ["/out"]


@given(st.lists(OPENS, max_size=10))
def test_files_are_those_of_every_pair_looked_at(rows):
    expected = {
        (made, used, file)
        for (made, file, wrote_at, wrote), (used, other, used_at, also) in itertools.product(rows, rows)
        if wrote and not also and file == other and made != used
        if wrote_at is not None and used_at is not None and wrote_at <= used_at
    }
    assert pairs(pairs_by_file(table(rows))) == sorted(expected)


def test_of_very_many_pairs_some_are_kept(monkeypatch):
    monkeypatch.setattr(handovers, "MOST_PAIRS", 6)
    writers = [process(number, 0, 9, stdout=7) for number in range(1, 6)]
    readers = [process(number, 0, 9, stdin=7) for number in range(6, 11)]
    opens = [(number, 1, number, True) for number in range(1, 6)]
    opens += [(number, 1, number, False) for number in range(6, 9)]

    assert len(pairs(pairs_by_pipe([*writers, *readers]))) == 6
    assert pairs(pairs_by_file(table(opens))) == [
        (writer, reader, 1) for writer in (4, 5) for reader in (6, 7, 8)
    ]


def table(rows: Sequence[tuple[int, int, int | None, bool]]) -> dict[str, np.ndarray]:
    """Return opens as the table of them has them."""
    names = ("process", "file", "first_ns", "written")
    return {name: integers([row[at] for row in rows]) for at, name in enumerate(names)}
