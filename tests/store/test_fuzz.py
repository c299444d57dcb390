"""Fuzzed logs: bit flips and cuts of real ones, and intact frames full of nonsense."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longpole.log import slots
from longpole.log.frames import file_header, note_frames, slot_frames
from longpole.model.manifest import Manifest, State
from longpole.store.derive.build import Built, build
from longpole.store.derive.content import read_content
from longpole.store.derive.notes import KNOWN
from longpole.store.derive.workflow_notes import WORKFLOW_NOTES
from tests.recording import somebody
from tests.store.test_damage import frames_of

SOME = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(SOME, max_examples=20_000)


@pytest.fixture(scope="module")
def real_log() -> bytes:
    """Return the log of a real recording."""
    with somebody(nobody=False) as someone:
        someone.record("bash", "-c", "cat /etc/passwd > /dev/null; sleep 0.2")
        (path,) = (someone.folder() / "log").iterdir()
        return path.read_bytes()


def built(folder: Path, *logs: bytes) -> Built:
    """Build tables of these logs, without writing them."""
    for number, log in enumerate(logs):
        (folder / f"node-{number}").write_bytes(log)
    content = read_content(folder, State.FINISHED)
    return build(content, Manifest(1, "ab", "x", State.FINISHED), State.FINISHED)


def check(result: Built) -> None:
    """Assert that tables fit together: columns are of one length, phases are a tree with dense ids."""
    for name, parts in result.tables:
        for part in parts:
            lengths = {len(values) for values in part.values() if isinstance(values, np.ndarray)}
            assert len(lengths) <= 1, (name, lengths)
        if name == "phases":
            check_tree(parts)


def check_tree(parts: Sequence[Any]) -> None:
    parents: dict[int, int | None] = {}
    for part in parts:
        ids = part["id"].tolist()
        above = part["parent"].tolist() if "parent" in part else [None] * len(ids)
        parents.update(zip(ids, above, strict=True))
    assert list(parents) == list(range(1, len(parents) + 1))
    for member in parents:
        here: int | None = member
        for _ in range(len(parents) + 1):
            here = parents[here] if here is not None else None
        assert here is None


NUMBERS = st.integers(0, 3) | st.sampled_from([7, 101, (1 << 32) - 1])
MOMENTS = st.integers(0, 50) | st.sampled_from(
    [-1, 1 << 59, (1 << 60) - 1, 1 << 60, 1 << 62, -(1 << 63), (1 << 63) - 1]
)
ODD = st.one_of(NUMBERS, MOMENTS, st.none(), st.floats(), st.text(max_size=3), st.just([["a", "b"]]))
SIZES = st.sampled_from([-1, 0, 5, 1 << 62])
BY_TYPE = {
    "Size": SIZES,
    "Name": st.sampled_from(["", "a", "gpu", "\x1b[2J"]),
    "Tag": st.sampled_from(["aa", "bb", "ff", "0"]),
    "Moment": MOMENTS,
    "Offset": MOMENTS,
    "Number": NUMBERS,
    "Seconds": NUMBERS,
    "Count": NUMBERS,
    "bool": st.booleans(),
    "int": NUMBERS,
    "float": st.floats(),
    "tuple": st.just([1, 2, 3, 4, 5, 6]),
    "Annotated": st.just([["m", "u"], ["n", "v"]]),
    "Numbers": st.lists(NUMBERS, max_size=3),
    "Bins": st.lists(st.tuples(st.integers(0, 111), NUMBERS), max_size=3),
    "Parts": st.lists(NUMBERS, max_size=5),
    "str": st.sampled_from(["", "a"]),
}
KINDS_OF_PART = st.sampled_from(["exec", "stage_in", "transfer", "", "run", "\x1b[2J"])
PLACES_OF_PARTS = st.sampled_from([-1, -1, 0, 1, 2, 1 << 31])
USED = st.lists(NUMBERS, max_size=7)
PARTS = st.tuples(
    *(KINDS_OF_PART, st.integers(0, 50), st.integers(0, 50), NUMBERS, NUMBERS, SIZES, NUMBERS, NUMBERS),
    *(NUMBERS, USED, st.sampled_from(["", "http"]), PLACES_OF_PARTS),
)
# What is more than one value, by the whole of its type.
BY_WHOLE_TYPE = {
    "tuple[Part, ...]": st.lists(PARTS, max_size=4),
    "tuple[Name, ...]": st.lists(BY_TYPE["Name"], max_size=3),
    "tuple[Number, ...]": st.lists(NUMBERS, max_size=3),
    "tuple[Size, ...]": st.lists(SIZES, max_size=3),
    "tuple[Count, Size, Count, Count, Count]": st.tuples(NUMBERS, SIZES, NUMBERS, NUMBERS, NUMBERS),
    "tuple[tuple[Number, Size], ...]": st.lists(st.tuples(NUMBERS, SIZES), max_size=3),
    "tuple[tuple[Number, Size, Name], ...]": st.lists(st.tuples(NUMBERS, SIZES, BY_TYPE["Name"]), max_size=3),
}


@st.composite
def plausible_notes(draw):
    """Return a note with all that its kind asks for; now and then one value is odd."""
    kind = draw(st.sampled_from((*KNOWN, *WORKFLOW_NOTES)))
    facts = {"about": kind.__name__.lower()}
    for field in kind.__struct_fields__:
        annotation = kind.__annotations__[field]
        first = re.split(r"\W", annotation)[0]
        of_type = BY_WHOLE_TYPE[annotation] if annotation in BY_WHOLE_TYPE else BY_TYPE[first]
        facts[field] = draw(NUMBERS if field == "bytes" else of_type)
    if draw(st.integers(0, 9)) == 0:
        facts[draw(st.sampled_from(kind.__struct_fields__))] = draw(ODD)
    return facts


TEXTS = (
    *(b'{"role":"member"}', b'{"role":"member","slurm":{"job":"1"}}'),
    *(b'{"role":"launcher"}', b'{"rank":9e99}', b"\xff\xfe", b"name", b"", b"[" * 44),
    *(b'{"about":"rank","rank":3,"world":-1}', b'{"about":"rank","rank":3,"world":4}'),
    *(b'{"about":"hook","hook":"torch","why":"x"}', b'{"about":"hook","hook":7}', b'{"about":"later"}'),
    *(b'{"about":"detail","kind":"step","every":2}', b'{"about":"detail","every":9e99}'),
)


@st.composite
def plausible_slots(draw):
    """Return a slot of a known kind with odd numbers in it."""
    kind = draw(st.sampled_from([slots.PHASE] * 8 + [slots.STEP] * 4 + list(range(2, 11))))
    small = draw(st.lists(NUMBERS, min_size=5, max_size=5))
    times = [draw(MOMENTS), draw(MOMENTS)]
    huge = draw(st.sampled_from([0, 5, (1 << 64) - 1]))
    if kind == slots.PHASE:
        head = (kind, draw(st.integers(0, 255)), 1, *small, *times)
        return slots.PHASE_LAYOUT.pack(*head, draw(NUMBERS), 0, 0, 1)
    if kind == slots.STEP:
        durations = draw(st.lists(NUMBERS, min_size=8, max_size=8))
        return slots.STEP_LAYOUT.pack(kind, draw(st.integers(0, 3)), 1, *small[:3], times[0], *durations, 1)
    if kind == slots.REMARK:
        return slots.REMARK_LAYOUT.pack(kind, 0, 0, small[0], times[0], b"", small[1])
    if kind == slots.TEXT:
        text = draw(st.sampled_from(TEXTS))
        return slots.TEXT_LAYOUT.pack(
            kind, draw(st.integers(0, 1)), small[0] & 3, small[1], draw(NUMBERS), text, 1
        )
    return struct.pack("<BBHIqqQQQQQ", kind, small[0] & 1, 0, small[1], *times, huge, 7, small[2], huge, 1)


def flipped(real_log, folder, place: float, bit: int) -> None:
    """Flip one bit of a log: that costs one frame."""
    at = 64 + int(place * (len(real_log) - 65))
    damaged = bytearray(real_log)
    damaged[at] ^= 1 << bit
    frames = frames_of(real_log)
    lost = next(count for begin, end, count in frames if begin <= at < end)

    result = built(folder, bytes(damaged))

    assert result.reading.readable == sum(count for _, _, count in frames) - lost
    assert result.reading.problems
    check(result)


def nonsense(folder, notes, some, more) -> None:
    """Build two logs of intact frames that make no sense."""
    first = file_header("node", 1) + note_frames([json.dumps(note).encode() for note in notes], 0)
    for number, (source, slot) in enumerate(some):
        first += slot_frames(source, slot, len(notes) + number)
    second = file_header("node", 1) + note_frames([json.dumps(note).encode() for note in more], 0)

    check(built(folder, first, second))


FLIPS = {"place": st.floats(0, 1), "bit": st.integers(0, 7)}
NONSENSE = {
    "notes": st.lists(plausible_notes(), max_size=25),
    "some": st.lists(st.tuples(st.integers(0, 2), plausible_slots()), max_size=60),
    "more": st.lists(plausible_notes(), max_size=5),
}


@SOME
@given(**FLIPS)
def test_a_bit_flip_of_a_real_log_costs_one_frame(real_log, tmp_path_factory, place, bit):
    flipped(real_log, tmp_path_factory.mktemp("log"), place, bit)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@MANY
@given(**FLIPS)
def test_many_bit_flips_of_a_real_log_cost_one_frame_each(real_log, tmp_path_factory, place, bit):
    flipped(real_log, tmp_path_factory.mktemp("log"), place, bit)


@SOME
@given(cut=st.floats(0, 1))
def test_a_real_log_cut_anywhere_builds(real_log, tmp_path_factory, cut):
    size = int(len(real_log) * cut)

    result = built(tmp_path_factory.mktemp("log"), real_log[:size])

    assert result.reading.readable == sum(count for _, end, count in frames_of(real_log) if end <= size)
    check(result)


@SOME
@given(**NONSENSE)
def test_intact_frames_of_nonsense_build_tables_that_fit(tmp_path_factory, notes, some, more):
    nonsense(tmp_path_factory.mktemp("log"), notes, some, more)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@MANY
@given(**NONSENSE)
def test_much_nonsense_builds_tables_that_fit(tmp_path_factory, notes, some, more):
    nonsense(tmp_path_factory.mktemp("log"), notes, some, more)


@SOME
@given(st.binary(max_size=2000))
def test_arbitrary_bytes_after_a_header_build(tmp_path_factory, data):
    check(built(tmp_path_factory.mktemp("log"), file_header("node", 1) + data))
