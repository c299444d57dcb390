"""Log files: written without ever raising, read without trusting anything."""

from __future__ import annotations

import os
import struct
import zlib

import pytest

from longpole.errors import ForeignLogError, NewerLogError, UnreadableLogError
from longpole.log.files import BACKLOG_BYTES, LogWriter, read_logs, read_plain_file
from longpole.log.frames import FILE_HEADER, LOG_MAGIC, NOTES, Tally, file_header, note_frames
from longpole.log.slots import SLOT_BYTES
from tests.log.reading import frames_of


@pytest.fixture
def writer(tmp_path):
    (tmp_path / "log").mkdir()
    return LogWriter(str(tmp_path), 1)


def read(path) -> tuple[list[bytes], Tally]:
    [(frames, tally)] = read_logs(str(path))
    return [bytes(frame.payload) for frame in frames], tally


def test_what_was_written_is_read(writer):
    writer.notes([b"{}", b"[]"])
    writer.slots(3, b"x" * SLOT_BYTES * 100)
    writer.close()

    payloads, tally = read(writer.path)

    assert payloads == [b"{}\n[]", b"x" * SLOT_BYTES * 64, b"x" * SLOT_BYTES * 36]
    assert (tally.readable, tally.expected, writer.lost, writer.trouble) == (102, 102, 0, "")


def test_a_log_is_private_and_never_overwrites(writer):
    assert os.stat(writer.path).st_mode & 0o777 == 0o600
    assert os.listdir(os.path.dirname(writer.path)) == [os.path.basename(writer.path)]


def test_what_cannot_be_written_is_kept_then_counted(writer):
    os.close(writer._descriptor)
    writer._descriptor = os.open("/dev/full", os.O_WRONLY)

    writer.notes([b"{}"] * 10)
    writer.flush()
    writer.slots(1, b"x" * (BACKLOG_BYTES + SLOT_BYTES))
    writer.close()

    assert "No space left" in writer.trouble
    assert writer.lost == 10 + BACKLOG_BYTES // SLOT_BYTES + 1


def test_a_disk_that_has_room_again_gets_what_was_kept(writer):
    real = writer._descriptor
    writer._descriptor = os.open("/dev/full", os.O_WRONLY)
    writer.notes([b"{}"])
    writer.flush()
    os.close(writer._descriptor)
    writer._descriptor = real
    writer.close()

    payloads, _ = read(writer.path)

    assert payloads == [b"{}"]
    assert writer.lost == 0


def test_an_empty_file_is_a_log_that_has_just_begun(tmp_path):
    (tmp_path / "empty").touch()

    assert read(tmp_path / "empty")[0] == []


@pytest.mark.parametrize("size", range(1, FILE_HEADER.size))
def test_a_log_cut_within_its_header_is_one_without_records(tmp_path, size):
    (tmp_path / "cut").write_bytes(file_header("node", 1)[:size])

    payloads, tally = read(tmp_path / "cut")

    assert payloads == []
    assert tally.skipped_bytes == size


@pytest.mark.parametrize(
    "data", [b"GIF89a" + b"x" * 100, b"\0" * 1000, b"{}", b"LONG", LOG_MAGIC + b"y" * 90]
)
def test_a_foreign_file_is_refused(tmp_path, data):
    (tmp_path / "foreign").write_bytes(data)

    if data == b"LONG":
        assert read(tmp_path / "foreign")[0] == []
        return
    with pytest.raises(ForeignLogError, match="is not a log of Longpole"):
        read(tmp_path / "foreign")


def test_frames_behind_a_damaged_header_are_read(tmp_path):
    header = bytearray(file_header("node", 1))
    header[20] ^= 255
    (tmp_path / "damaged").write_bytes(bytes(header) + note_frames([b"{}"], 0))

    payloads, tally = read(tmp_path / "damaged")

    assert payloads == [b"{}"]
    assert tally.skipped_bytes == FILE_HEADER.size


def test_a_newer_log_says_that_longpole_must_be_upgraded(tmp_path):
    unsummed = struct.pack("<8sHHIQ36s", LOG_MAGIC, 9, 0, 0, 1, b"node")
    header = unsummed + zlib.crc32(unsummed).to_bytes(4, "little")
    (tmp_path / "newer").write_bytes(header + note_frames([b"{}"], 0))

    with pytest.raises(NewerLogError, match="Upgrade") as caught:
        read(tmp_path / "newer")

    assert (caught.value.found, caught.value.known, caught.value.exit_code) == (9, 1, 3)


def test_a_link_is_not_followed(tmp_path, writer):
    writer.close()
    (tmp_path / "link").symlink_to(writer.path)

    with pytest.raises(UnreadableLogError):
        read(tmp_path / "link")


def test_a_pipe_is_not_waited_on(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(UnreadableLogError, match="not a plain file"):
        read(tmp_path / "pipe")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UnreadableLogError):
        read(tmp_path / "nosuch")


def test_notes_are_frames_of_their_own_kind(writer):
    writer.notes([b"{}"])
    writer.close()

    assert [frame.kind for frame in frames_of(writer.path)] == [NOTES]


def test_file_of_holes_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "holes"
    with path.open("wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(UnreadableLogError, match="claims 1,099,511,627,776 bytes"):
        read_plain_file(str(path))


def test_a_second_writer_of_one_place_appends_a_log_of_its_own(tmp_path):
    (tmp_path / "log").mkdir()
    for word in (b'{"a": 1}', b'{"b": 2}'):
        writer = LogWriter(str(tmp_path), 1, "place")
        writer.notes([word])
        writer.close()

    [file] = (tmp_path / "log").iterdir()
    logs = [([bytes(frame.payload) for frame in frames], tally) for frames, tally in read_logs(str(file))]
    assert [payloads for payloads, _ in logs] == [[b'{"a": 1}'], [b'{"b": 2}']]
    assert [(tally.readable, tally.expected) for _, tally in logs] == [(1, 1), (1, 1)]


def test_a_log_that_was_cut_does_not_harm_the_one_behind_it(tmp_path):
    (tmp_path / "log").mkdir()
    writer = LogWriter(str(tmp_path), 1, "place")
    writer.notes([b"{}"])
    writer.slots(3, b"x" * SLOT_BYTES * 10)
    writer.close()
    with open(writer.path, "r+b") as file:
        file.truncate(os.path.getsize(writer.path) - 70)
    later = LogWriter(str(tmp_path), 1, "place")
    later.notes([b"[]"])
    later.close()

    found = [([frame.kind for frame in frames], tally) for frames, tally in read_logs(writer.path)]

    assert [kinds for kinds, _ in found] == [[NOTES], [NOTES]]
    assert [(tally.readable, tally.expected) for _, tally in found] == [(1, 11), (1, 1)]
