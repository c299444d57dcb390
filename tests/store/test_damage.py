"""Damaged and hostile runs: what is intact is shown, what is not is said, and nothing fails."""

from __future__ import annotations

import json
import os
import re
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longpole.errors import DamagedRunError, ForeignLogError, NewerLogError, UnreadableLogError
from longpole.log import slots
from longpole.log.frames import FRAME_HEADER, LOG_MAGIC, SYNC, file_header, note_frames, slot_frames
from longpole.model.manifest import Manifest, State
from longpole.store.derive.build import Built, build
from longpole.store.derive.content import read_content
from longpole.store.derive.notes import KNOWN
from longpole.store.run import open_run
from tests.builders import small_run
from tests.recording import somebody


@pytest.fixture
def run(tmp_path):
    return small_run(tmp_path)


@pytest.fixture(scope="module")
def real_log() -> bytes:
    """Return the log of a real recording."""
    with somebody(nobody=False) as someone:
        someone.record("bash", "-c", "cat /etc/passwd > /dev/null; sleep 0.2")
        (path,) = (someone.folder() / "log").iterdir()
        return path.read_bytes()


def frames_of(log: bytes) -> list[tuple[int, int, int]]:
    """Return begin, end and number of records of each frame."""
    found, at = [], 64
    while at < len(log):
        head = FRAME_HEADER.unpack_from(log, at)
        end = at + FRAME_HEADER.size + head[4]
        found.append((at, end, head[6]))
        at = end
    return found


def built(folder: Path, *logs: bytes) -> Built:
    """Build tables of these logs, without writing them."""
    for number, log in enumerate(logs):
        (folder / f"node-{number}").write_bytes(log)
    content = read_content(folder, State.FINISHED)
    return build(content, Manifest(1, "ab", "x", State.FINISHED), State.FINISHED)


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


def check(result: Built) -> dict[str, list]:
    """Assert that tables fit together; return ids and parents of phases."""
    seen: dict[str, list] = {"id": [], "parent": []}
    for name, parts in result.tables:
        for part in parts:
            lengths = {
                len(values)
                for values in part.values()
                if hasattr(values, "__len__") and not isinstance(values, str)
            }
            assert len(lengths) <= 1, (name, lengths)
        if name == "phases":
            for part in parts:
                parents = part.get("parent")
                seen["id"] += part["id"].tolist()
                seen["parent"] += [None] if parents is None else parents.tolist()
    assert seen["id"] == list(range(1, len(seen["id"]) + 1))
    parents = dict(zip(seen["id"], seen["parent"], strict=True))
    for member in parents:
        here, steps = member, 0
        while here is not None:
            here, steps = parents[here], steps + 1
            assert steps <= len(parents)
    return seen


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_bit_flips_of_a_real_log_cost_one_frame_each(real_log, tmp_path_factory, data):
    frames = frames_of(real_log)
    place = data.draw(st.integers(64, len(real_log) - 1))
    damaged = bytearray(real_log)
    damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    lost = next(count for begin, end, count in frames if begin <= place < end)

    result = built(tmp_path_factory.mktemp("log"), bytes(damaged))

    assert result.reading.readable == sum(count for _, _, count in frames) - lost
    assert result.reading.problems
    check(result)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0, 1))
def test_a_real_log_cut_anywhere_builds(real_log, tmp_path_factory, cut):
    size = int(len(real_log) * cut)

    result = built(tmp_path_factory.mktemp("log"), real_log[:size])

    assert result.reading.readable == sum(count for _, end, count in frames_of(real_log) if end <= size)
    check(result)


NUMBERS = st.integers(0, 3) | st.sampled_from([7, 101, (1 << 32) - 1])
MOMENTS = st.integers(0, 50) | st.sampled_from(
    [-1, 1 << 59, (1 << 60) - 1, 1 << 60, 1 << 62, -(1 << 63), (1 << 63) - 1]
)
ODD = st.one_of(NUMBERS, MOMENTS, st.none(), st.floats(), st.text(max_size=3), st.just([["a", "b"]]))
BY_TYPE = {
    "Name": st.sampled_from(["", "a", "gpu", "\x1b[2J"]),
    "Tag": st.sampled_from(["aa", "bb", "ff", "0"]),
    "Moment": MOMENTS,
    "Offset": MOMENTS,
    "Number": NUMBERS,
    "Count": NUMBERS,
    "bool": st.booleans(),
    "int": NUMBERS,
    "float": st.floats(),
    "tuple": st.just([1, 2, 3, 4, 5, 6]),
    "Annotated": st.just([["m", "u"], ["n", "v"]]),
}


@st.composite
def plausible_notes(draw):
    """Return a note with all that its kind asks for; now and then one value is odd."""
    kind = draw(st.sampled_from(KNOWN))
    facts = {"about": kind.__name__.lower()}
    for field in kind.__struct_fields__:
        annotation = re.match(r"\w+", kind.__annotations__[field])[0]
        facts[field] = draw(NUMBERS if field == "bytes" else BY_TYPE[annotation])
    if draw(st.integers(0, 9)) == 0:
        facts[draw(st.sampled_from(kind.__struct_fields__))] = draw(ODD)
    return facts


@st.composite
def plausible_slots(draw):
    """Return a slot of a known kind with odd numbers in it."""
    kind = draw(st.sampled_from(range(1, 9)))
    small = draw(st.lists(NUMBERS, min_size=5, max_size=5))
    times = [draw(MOMENTS), draw(MOMENTS)]
    huge = draw(st.sampled_from([0, 5, (1 << 64) - 1]))
    if kind == slots.PHASE:
        head = (kind, draw(st.integers(0, 255)), 1, *small, *times)
        return slots.PHASE_LAYOUT.pack(*head, draw(NUMBERS), 0, 0, 1)
    if kind == slots.TEXT:
        text = draw(st.sampled_from([b'{"role":"launcher"}', b'{"rank":9e99}', b"\xff\xfe", b"name", b""]))
        return slots.TEXT_LAYOUT.pack(
            kind, draw(st.integers(0, 1)), small[0] & 3, small[1], draw(NUMBERS), text, 1
        )
    return struct.pack("<BBHIqqQQQQQ", kind, small[0] & 1, 0, small[1], *times, huge, 7, small[2], huge, 1)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(plausible_notes(), max_size=25),
    st.lists(
        st.tuples(st.integers(0, 3), plausible_slots() | st.binary(min_size=64, max_size=64)), max_size=40
    ),
    st.lists(plausible_notes(), max_size=5),
)
def test_intact_frames_of_nonsense_build_tables_that_fit(tmp_path_factory, notes, some, more):
    encoded = [json.dumps(note).encode() for note in notes]
    first = file_header("node", 1) + note_frames(encoded, 0)
    for number, (source, slot) in enumerate(some):
        first += slot_frames(source, slot, len(notes) + number)
    second = file_header("node", 1) + note_frames([json.dumps(note).encode() for note in more], 0)

    result = built(tmp_path_factory.mktemp("log"), first, second)

    check(result)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=2000))
def test_arbitrary_bytes_after_a_header_build(tmp_path_factory, data):
    content = tmp_path_factory.mktemp("log")

    check(built(content, file_header("node", 1) + data))


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
