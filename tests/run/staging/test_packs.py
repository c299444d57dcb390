"""Packs arrive as they were written, whatever is in them, and a damaged one is never taken for whole."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from typing import NamedTuple

import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from longpole.run.staging.checksums import NO_DIGEST, Checksums
from longpole.run.staging.movements import SMALL
from longpole.run.staging.packs import Kind, PackWriter, entries
from longpole.run.staging.wire import Wire


class _File(NamedTuple):
    name: bytes
    mode: int
    data: bytes


_FILES = st.lists(st.builds(_File, st.binary(max_size=300), st.integers(0, 0o777), st.binary(max_size=5000)))


@given(_FILES)
def test_a_pack_arrives_as_it_was_written(files: list[_File]) -> None:
    found = _received(_written(files))

    assert found == [(item, Kind.FILE, *file) for item, file in enumerate(files)]


def test_files_of_many_blocks_arrive() -> None:
    files = [_File(b"", 0o644, os.urandom(SMALL - number)) for number in range(5)]

    assert [data for *_, data in _received(_written(files))] == [file.data for file in files]


def test_a_file_that_is_too_large_is_marked() -> None:
    [(item, kind, name, _, data)] = _received(_written([_File(b"n", 0o644, bytes(SMALL + 1))]))

    assert (item, kind, name, data) == (0, Kind.LARGE, b"n", b"")


@given(st.data())
@settings(max_examples=50)
def test_a_pack_that_is_cut_off_is_never_taken_for_whole(data: st.DataObject) -> None:
    written = _written([_File(b"a", 0o644, b"x" * 100), _File(b"b", 0o644, b"y" * 100)])
    cut = data.draw(st.integers(0, len(written) - 1))

    with pytest.raises(ConnectionError):
        _received(written[:cut])


@given(st.data())
@settings(max_examples=200)
def test_a_flipped_bit_is_noticed_or_harmless(data: st.DataObject) -> None:
    """What is flipped in a header is an error, or makes the checksum wrong, or is no part of the content."""
    files = [_File(b"name", 0o644, b"x" * 100), _File(b"other", 0o600, b"y" * 100)]
    written = bytearray(_written(files))
    place = data.draw(st.integers(0, len(written) * 8 - 1))
    written[place // 8] ^= 1 << place % 8

    try:
        found = _received(bytes(written), timeout_s=1, check=True)
    except (ConnectionError, TimeoutError):
        return
    contents = [content for _, kind, _, _, content in found if kind == Kind.FILE]
    assert all(content in (b"x" * 100, b"y" * 100) for content in contents)


def test_checksums_are_those_of_the_content() -> None:
    file = _File(b"", 0o644, b"content")

    assert _digests(_written([file])) == [xxhash.xxh3_128_digest(b"content")]
    assert _digests(_written([file], Checksums.OFF)) == [NO_DIGEST]


def _written(files: list[_File], checksums: Checksums = Checksums.ON) -> bytes:
    """Return a pack as it is on the wire."""
    here, there = _connection()
    found = bytearray()

    def read() -> None:
        with there:
            while data := there.recv(1 << 20):
                found.extend(data)

    reader = threading.Thread(target=read)
    reader.start()
    wire = Wire(here)
    writer = PackWriter(wire, checksums)
    for item, (name, mode, data) in enumerate(files):
        with tempfile.TemporaryFile() as file:
            os.fchmod(file.fileno(), mode)
            os.pwrite(file.fileno(), data, 0)
            writer.file(item, name, file.fileno())
    writer.end()
    wire.close()
    reader.join()
    return bytes(found)


def _received(
    data: bytes, timeout_s: int = 20, *, check: bool = False
) -> list[tuple[int, int, bytes, int, bytes]]:
    here, there = _connection()
    with there:
        writer = threading.Thread(target=_send, args=(there, data))
        writer.start()
        wire = Wire(here, timeout_s)
        try:
            return [
                (item, kind, name, mode, bytes(body))
                for item, kind, name, mode, _, digest, body in entries(wire)
                if not check or kind != Kind.FILE or xxhash.xxh3_128_digest(body) == digest
            ]
        finally:
            wire.close()
            writer.join()


def _digests(data: bytes) -> list[bytes]:
    here, there = _connection()
    with there:
        there.sendall(data)
        wire = Wire(here)
        try:
            return [digest for *_, digest, _ in entries(wire)]
        finally:
            wire.close()


def _send(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the reader has seen enough


def _connection() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        here = socket.create_connection(listener.getsockname())
        return here, listener.accept()[0]
