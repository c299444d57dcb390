"""Frames: what goes in comes out, and damage costs one frame and no more."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from longpole.log.frames import (
    FILE_HEADER,
    FRAME_HEADER,
    FRAME_RECORDS,
    SLOTS,
    Tally,
    file_header,
    file_version,
    note_frames,
    scan,
    slot_frames,
)
from longpole.log.slots import SLOT_BYTES

HEADER = file_header("node", 1)
NOTES = [b'{"about":"host","name":"node"}', b'{"about":"clock"}', b'{"about":"began"}']


def small_log() -> tuple[bytes, list[tuple[int, int, int]]]:
    """Return a log of several frames, and begin, end and number of records of each."""
    chooser = random.Random(4)
    data, spans, first = HEADER, [], 0
    for turn in range(6):
        count = (1, 7, FRAME_RECORDS, 3, 64, 5)[turn]
        frame = (
            note_frames(NOTES, first)
            if turn == 3
            else slot_frames(turn, chooser.randbytes(count * SLOT_BYTES), first)
        )
        spans.append((len(data), len(data) + len(frame), count))
        data, first = data + frame, first + count
    return data, spans


LOG, SPANS = small_log()
RECORDS = sum(count for _, _, count in SPANS)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 200)), max_size=8))
def test_slots_come_back_as_they_were(blocks):
    data, first = HEADER, 0
    written = []
    for source, count in blocks:
        payload = bytes([source]) * count * SLOT_BYTES
        data += slot_frames(source, payload, first)
        written.append((source, payload))
        first += count
    tally = Tally()

    read = [(frame.source, bytes(frame.payload)) for frame in scan(data, tally) if frame.kind == SLOTS]

    for source in range(10):
        assert b"".join(data for s, data in read if s == source) == b"".join(
            data for s, data in written if s == source
        )
    assert (tally.readable, tally.expected, tally.skipped_bytes) == (first, first, 0)


@given(st.lists(st.binary(max_size=200).filter(lambda line: b"\n" not in line), min_size=1, max_size=200))
def test_notes_come_back_as_they_were(lines):
    frames = list(scan(HEADER + note_frames(lines, 0), Tally()))

    assert [line for frame in frames for line in bytes(frame.payload).split(b"\n")] == lines


@given(st.binary(max_size=3000))
def test_arbitrary_bytes_never_fail(data):
    tally = Tally()

    frames = list(scan(data, tally))

    assert tally.readable == sum(frame.count for frame in frames)


@given(st.binary(max_size=300), st.integers(0, len(SPANS)))
def test_frames_after_foreign_bytes_are_found_again(noise, place):
    cut = SPANS[place][0] if place < len(SPANS) else len(LOG)
    tally = Tally()

    list(scan(LOG[:cut] + noise + LOG[cut:], tally))

    assert tally.readable == RECORDS
    assert tally.expected == RECORDS
    assert tally.skipped_bytes == len(noise)


@settings(max_examples=300)
@given(st.integers(FILE_HEADER.size, len(LOG) - 1), st.integers(0, 7))
def test_a_flipped_bit_costs_its_frame_and_no_other(place, bit):
    data = bytearray(LOG)
    data[place] ^= 1 << bit
    hit = next(at for at, (begin, end, _) in enumerate(SPANS) if begin <= place < end)
    tally = Tally()

    found = [bytes(frame.payload) for frame in scan(bytes(data), tally)]

    intact = [LOG[begin + FRAME_HEADER.size : end] for at, (begin, end, _) in enumerate(SPANS) if at != hit]
    assert found == intact
    assert tally.readable == RECORDS - SPANS[hit][2]
    if hit < len(SPANS) - 1:
        assert tally.expected == RECORDS


def test_a_log_cut_anywhere_keeps_all_frames_before_the_cut():
    for cut in range(FILE_HEADER.size, len(LOG) + 1, 3):
        tally = Tally()

        found = len(list(scan(LOG[:cut], tally)))

        assert found == sum(end <= cut for _, end, _ in SPANS)
        assert tally.readable == sum(count for _, end, count in SPANS if end <= cut)
        assert tally.expected >= tally.readable


def test_records_of_a_cut_frame_are_expected_where_its_header_is_whole():
    tally = Tally()

    list(scan(LOG[:-1], tally))

    assert (tally.readable, tally.expected) == (RECORDS - SPANS[-1][2], RECORDS)


@given(st.integers(0, FILE_HEADER.size - 1), st.integers(0, 7))
def test_a_damaged_file_header_is_not_believed(place, bit):
    data = bytearray(LOG)
    data[place] ^= 1 << bit

    assert file_version(bytes(data)) is None
    assert file_version(LOG) == 1
