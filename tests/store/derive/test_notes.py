"""Notes: typed, and counted where they cannot be used."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.store.derive.notes import KNOWN, Clock, Exit, Notes, Process


def taken(*lines: bytes) -> Notes:
    notes = Notes()
    for line in lines:
        notes.take(line)
    return notes


def test_notes_are_kept_by_kind_in_their_order():
    notes = taken(
        b'{"about":"process","number":1,"comm":"a"}',
        b'{"about":"clock","at":5,"offset":-3}',
        b'{"about":"process","number":1,"comm":"b"}',
    )

    assert [note.comm for note in notes.of(Process)] == ["a", "b"]
    assert notes.of(Clock) == [Clock(at=5, offset=-3)]
    assert notes.unusable == 0


def test_a_note_of_a_later_kind_is_passed_over():
    assert taken(b'{"about":"weather","rain":true}').unusable == 0


def test_a_field_of_a_later_version_is_passed_over():
    notes = taken(b'{"about":"clock","at":5,"offset":1,"leap":[1,2]}')

    assert len(notes.of(Clock)) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"about":"clock"}',
        b'{"about":7}',
        b'{"about":"clock","at":"5","offset":1}',
        b'{"about":"clock","at":-1,"offset":1}',
        b'{"about":"clock","at":99999999999999999999999999,"offset":1}',
        b'{"about":"process","number":4294967296}',
        b'{"about":"exit","number":1,"end":1,"used":[1,2,3]}',
        b'{"about":"exit","number":1,"end":1,"used":[1,2,3,4,5,-6]}',
        b'{"about":"host","name":"\xff\xfe"}',
        b"[" * 100_000,
    ],
)
def test_a_note_that_cannot_be_used_is_counted(line):
    notes = taken(line)

    assert notes.unusable == 1
    assert not any(notes.of(kind) for kind in KNOWN)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
NAMES = st.sampled_from(sorted({field for kind in KNOWN for field in kind.__struct_fields__}))
ABOUT = st.sampled_from([kind.__name__.lower() for kind in KNOWN])


@given(ABOUT, st.dictionaries(NAMES, JSON, max_size=8))
def test_no_note_ever_fails(about, facts):
    notes = taken(json.dumps({**facts, "about": about}).encode())

    assert notes.unusable + sum(len(notes.of(kind)) for kind in KNOWN) == 1


@given(st.binary(max_size=200))
def test_no_line_ever_fails(line):
    taken(line)


def test_numbers_that_would_overflow_are_refused():
    used = [1 << 61, 0, 0, 0, 0, 0]

    notes = taken(json.dumps({"about": "exit", "number": 1, "end": 1, "used": used}).encode())

    assert (notes.unusable, notes.of(Exit)) == (1, [])
