"""Damaged and hostile runs: what is intact is shown, what is not is said, and nothing fails."""

from __future__ import annotations

import os
import struct
import zlib

import pytest

from longpole.errors import DamagedRunError, ForeignLogError, NewerLogError, UnreadableLogError
from longpole.log.frames import FRAME_HEADER, LOG_MAGIC, SYNC
from longpole.model.manifest import State
from longpole.store.run import open_run
from tests.builders import small_run


@pytest.fixture
def run(tmp_path):
    return small_run(tmp_path)


def frames_of(log: bytes) -> list[tuple[int, int, int]]:
    """Return begin, end and number of records of each frame."""
    found, at = [], 64
    while at < len(log):
        head = FRAME_HEADER.unpack_from(log, at)
        end = at + FRAME_HEADER.size + head[4]
        found.append((at, end, head[6]))
        at = end
    return found


def test_a_flipped_bit_is_said_and_the_rest_is_shown(run):
    (path,) = run.logs()
    data = bytearray(path.read_bytes())
    begin, end, lost = frames_of(bytes(data))[-2]
    data[(begin + end) // 2] ^= 4
    path.write_bytes(data)

    stored = run.open()

    assert stored.reading.readable == stored.reading.expected - lost
    assert "records readable" in stored.reading.problems[0]
    assert stored.table("phases").rows == 6


def test_a_log_cut_short_keeps_what_came_before(run):
    (path,) = run.logs()
    os.truncate(path, path.stat().st_size - 10)

    stored = run.open()

    assert stored.reading.sentence() in stored.reading.problems[0]
    assert stored.table("processes").rows == 2


def test_a_run_without_a_manifest_is_opened_by_its_log(run):
    (run.path / "run.json").unlink()

    stored = run.open()

    assert (stored.manifest.name, stored.manifest.id, stored.state) == ("made", "0badcafe", State.BROKEN)
    assert "no run.json" in stored.reading.problems[0]
    assert stored.table("phases").rows == 6


def test_a_run_with_a_broken_manifest_is_opened_by_its_log(run):
    (run.path / "run.json").write_text('{"schema_version": 1, "id": ')

    assert "is not a manifest" in run.open().reading.problems[0]


def test_a_newer_run_is_refused(run):
    run.save(schema_version=2)

    with pytest.raises(NewerLogError):
        run.open()


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(DamagedRunError, match="no run"):
        open_run(tmp_path)


def test_a_foreign_file_among_the_logs_is_said(run):
    (run.path / "log" / "core").write_bytes(b"\x7fELF" * 100)
    (run.path / "log" / "folder").mkdir()
    os.mkfifo(run.path / "log" / "pipe")
    (run.path / "log" / "link").symlink_to("/etc/passwd")

    stored = run.open()

    assert stored.table("phases").rows == 6
    assert len(stored.reading.problems) == 4
    assert "core is not a log of Longpole" in stored.reading.problems[0]


def test_a_run_of_nothing_but_foreign_files_is_refused(run):
    for path in run.logs():
        path.write_bytes(b"x" * 1000)

    with pytest.raises(ForeignLogError) as caught:
        _ = run.open().reading

    assert caught.value.exit_code == 3


def test_a_newer_log_is_refused(run):
    (path,) = run.logs()
    data = path.read_bytes()
    unsummed = struct.pack("<8sHHIQ36s", LOG_MAGIC, 2, 0, 0, 1, b"node")
    path.write_bytes(unsummed + zlib.crc32(unsummed).to_bytes(4, "little") + data[64:])

    with pytest.raises(NewerLogError):
        run.open().table("phases")


def test_a_log_folder_that_is_a_link_or_missing_is_refused(run, tmp_path):
    (run.path / "log").rename(tmp_path / "elsewhere")
    with pytest.raises(DamagedRunError):
        run.open().table("phases")

    (run.path / "log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamagedRunError):
        run.open().table("phases")


def test_a_log_nobody_may_read_is_said(run, monkeypatch):
    def refuse(path: str) -> bytes:
        raise UnreadableLogError(path, "Permission denied")

    monkeypatch.setattr("longpole.log.files.read_plain_file", refuse)

    with pytest.raises(UnreadableLogError, match="Permission denied"):
        run.open().table("phases")


def test_a_frame_of_a_later_version_is_passed_over_and_said(run):
    (path,) = run.logs()
    head = struct.pack("<4sHHIIQI", SYNC, 1, 7, 2, 64, 10_000, 1)
    payload = b"\1" * 64
    summed = zlib.crc32(payload, zlib.crc32(head)).to_bytes(4, "little")
    path.write_bytes(path.read_bytes() + head + summed + payload)

    stored = run.open()

    assert any("later version" in problem for problem in stored.reading.problems)
    assert stored.table("phases").rows == 6


def test_a_run_without_any_record_is_still_a_run(tmp_path):
    run = small_run(tmp_path)
    for path in run.logs():
        path.unlink()

    stored = run.open()

    assert [row["kind"] for row in stored.table("phases").records()] == ["run"]
    assert stored.table("processes").rows == 0


def test_the_built_tables_of_nonsense_can_be_written(tmp_path):
    run = small_run(tmp_path)
    with run.log() as log:
        log.note("clock", at=1 << 60, offset=1 << 62, error=1 << 60)
        log.note("process", number=(1 << 32) - 1, pid=(1 << 32) - 1, start=1 << 60, comm="\x00\x1b'\"")
        log.note("exit", number=5, end=1 << 60, used=[1 << 60] * 6, peak_kib=1 << 60, start=0)
        log.note(
            "resource", number=3, kind="'; DROP", name="x", fields=[["a", "b"]], capacity=1e308, scope="'; --"
        )
        log.gauge(3, 0, 1, 1e308, 0.0, 0.0, 0.0)

    stored = run.open()

    assert stored.query("SELECT count(*) AS n FROM samples WHERE scope = '''; --'")["n"][0] == 1
    assert stored.table("totals").rows > 0
