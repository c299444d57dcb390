"""Rings: what is written is read, once, in order, whatever threads, forks and kills do."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.log.slots import PHASE, PHASE_LAYOUT, SLOT_BYTES, TEXT
from longpole.record.client.ring import Ring, create_ring, private_ring
from longpole.record.rings import ForeignRingError, RingReader, open_ring


def write_phase(ring: Ring, number: int) -> bool:
    return ring.slot(PHASE_LAYOUT, PHASE, 0, 0, number, 0, 0, 0, 0, number, number + 1, 0, 0, 0)


def phase_ids(slots: bytes) -> list[int]:
    places = [at for at in range(0, len(slots), SLOT_BYTES) if slots[at] == PHASE]
    return [PHASE_LAYOUT.unpack_from(slots, at)[3] for at in places]


@given(st.lists(st.integers(min_value=0, max_value=300), max_size=30))
def test_everything_written_is_read_once_in_order(bursts: list[int]) -> None:
    ring = private_ring(512)
    reader = RingReader(ring.memory)
    written, read, number = [], [], 0
    for burst in bursts:
        for _ in range(burst):
            if write_phase(ring, number):
                written.append(number)
            number += 1
        read += phase_ids(reader.drain())
        reader.commit()

    assert read == written
    assert len(written) + reader.lost == number


def test_full_ring_drops_the_new_and_counts_them() -> None:
    ring = private_ring(256)
    kept = [number for number in range(1000) if write_phase(ring, number)]
    reader = RingReader(ring.memory)

    assert phase_ids(reader.drain()) == kept
    assert reader.lost == 1000 - len(kept)
    assert kept == list(range(len(kept)))


def test_threads_lose_nothing() -> None:
    ring = private_ring(65536)

    def write(first: int) -> None:
        for number in range(first, first + 5000):
            write_phase(ring, number)

    threads = [threading.Thread(target=write, args=(first,)) for first in range(0, 40000, 5000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(phase_ids(RingReader(ring.memory).drain())) == list(range(40000))


def test_slot_taken_but_never_filled_is_skipped_after_a_while() -> None:
    ring = private_ring(256)
    write_phase(ring, 1)
    next(ring._numbers)
    write_phase(ring, 3)
    reader = RingReader(ring.memory)

    read = [phase_ids(reader.drain()) for _ in range(15)]

    assert [ids for ids in read if ids] == [[1], [3]]
    assert reader.lost == 1


def test_reader_goes_on_where_an_earlier_one_ended() -> None:
    ring = private_ring(256)
    write_phase(ring, 1)
    earlier = RingReader(ring.memory)
    earlier.drain()
    earlier.commit()
    write_phase(ring, 2)
    RingReader(ring.memory).drain()

    assert phase_ids(RingReader(ring.memory).drain()) == [2]


@given(st.text(max_size=300))
def test_text_arrives_whole_up_to_its_bound(text: str) -> None:
    ring = private_ring(512)
    ring.once(text)
    slots = RingReader(ring.memory).drain()

    parts = [
        slots[at + 12 : at + 12 + int.from_bytes(slots[at + 8 : at + 12], "little")]
        for at in range(0, len(slots), 64)
    ]
    assert all(slots[at] == TEXT for at in range(0, len(slots), 64))
    assert b"".join(parts) == text.encode("utf-8", "replace")


def test_open_phases_are_seen_until_they_are_closed() -> None:
    ring = private_ring(256)
    place = ring.open_phase(0, 7, 0, 1, 2, 99)
    reader = RingReader(ring.memory)

    assert phase_ids(reader.open_phases()) == [7]
    ring.close_phase(place)
    assert reader.open_phases() == b""


def test_more_open_phases_than_places_do_no_harm() -> None:
    ring = private_ring(256)
    places = [ring.open_phase(0, number, 0, 1, 2, 99) for number in range(100)]

    assert places.count(-1) == 100 - len(phase_ids(RingReader(ring.memory).open_phases()))
    for place in places:
        ring.close_phase(place)
    assert RingReader(ring.memory).open_phases() == b""


def test_ring_file_knows_its_process(tmp_path: Path) -> None:
    ring = create_ring(str(tmp_path), parent=(5, 6))
    [path] = tmp_path.iterdir()
    reader = open_ring(str(path))

    assert (reader.pid, reader.tag) == (os.getpid(), ring.tag)
    assert (reader.parent_tag, reader.parent_phase) == (5, 6)
    assert not reader.closed
    ring.close()
    assert reader.closed


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"x" * 8192, b"LPRING01" + b"\xff" * 8184])
def test_foreign_file_among_the_rings_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign.ring"
    path.write_bytes(content)

    with pytest.raises(ForeignRingError):
        open_ring(str(path))
