"""Tables beside a log: built once, built again when they are of another log, never trusted blindly."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from longpole.errors import DamagedRunError, UsageError
from longpole.model.execution import TABLES
from longpole.store.database import Writer
from longpole.store.run import open_run
from tests.builders import RUNNING, HandmadeRun, small_run


@pytest.fixture
def run(tmp_path):
    return small_run(tmp_path)


def count(run, table: str = "phases") -> int:
    with run.open() as stored:
        return int(stored.query(f"SELECT count(*) AS n FROM {table}")["n"][0])


def written(run) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (run.path / "tables").iterdir()}


def forged(run, **changes) -> None:
    path = run.path / "tables" / "stamp.json"
    stamp = json.loads(path.read_text())
    stamp["origin"].update(changes)
    path.write_text(json.dumps(stamp))


def test_damage_done_after_the_tables_were_built_is_seen(run):
    count(run)
    [log] = run.logs()
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 0x40
    log.write_bytes(data)

    with run.open() as stored:
        assert stored.reading.readable < stored.reading.expected


def test_tables_are_written_beside_the_log_for_the_owner_alone(run):
    assert count(run) == 6

    assert set(written(run)) == {f"{name}.parquet" for name in TABLES} | {"stamp.json"}
    assert (run.path / "tables").stat().st_mode & 0o777 == 0o700


def test_all_tables_have_the_columns_of_the_model(run):
    stored = run.open()

    for name, table in TABLES.items():
        assert list(stored.table(name)) == [field.name for field in table.fields]


def test_writing_shows_no_progress_among_what_commands_print():
    with Writer() as writer:
        [(shown,)] = writer._connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()

    assert not shown


def test_tables_are_built_once(run):
    count(run)
    before = written(run)

    assert count(run) == 6
    assert written(run) == before


def test_a_log_that_has_grown_is_built_again(run):
    count(run)
    with run.log(bare=True) as log:
        log.phase(5, 1, "more", (1, 2))

    assert count(run) == 7


@pytest.mark.parametrize("changes", [{"builder": 0}, {"schema_version": 99}, {"logs": {}}, {"manifest": 1}])
def test_tables_of_another_origin_are_built_again(run, changes):
    count(run)
    before = written(run)
    forged(run, **changes)

    assert count(run) == 6
    assert written(run) != before


def test_a_changed_manifest_is_in_the_tables(run):
    count(run)
    run.save(name="renamed")

    assert list(run.open().query("SELECT name FROM phases WHERE kind = 'run'")["name"]) == ["renamed"]


@pytest.mark.parametrize("damage", [b"", b"not parquet", b"PAR1" + b"\0" * 200 + b"PAR1"])
def test_a_damaged_table_is_built_again(run, damage):
    count(run)
    (run.path / "tables" / "phases.parquet").write_bytes(damage)

    assert count(run) == 6


def test_a_table_damaged_within_its_size_is_built_again(run):
    count(run)
    path = run.path / "tables" / "phases.parquet"
    path.write_bytes(b"x" * path.stat().st_size)

    assert count(run) == 6


def test_a_forged_table_of_other_columns_is_built_again(run):
    count(run)
    tables = run.path / "tables"
    shutil.copy(tables / "hosts.parquet", tables / "phases.parquet")
    stamp = json.loads((tables / "stamp.json").read_text())
    stamp["files"]["phases.parquet"] = (tables / "phases.parquet").stat().st_size
    (tables / "stamp.json").write_text(json.dumps(stamp))

    assert list(run.open().query("SELECT duration_ns FROM phases WHERE kind = 'run'")["duration_ns"]) == [
        10**9
    ]


@pytest.mark.parametrize("stamp", ["", "{}", "[]", "null", "{" * 10_000])
def test_a_broken_stamp_is_built_again(run, stamp):
    count(run)
    (run.path / "tables" / "stamp.json").write_text(stamp)

    assert count(run) == 6


def test_a_missing_table_is_built_again(run):
    count(run)
    (run.path / "tables" / "samples.parquet").unlink()

    assert count(run, "samples") == 6


def test_tables_behind_a_link_are_neither_read_nor_written(run, tmp_path):
    count(run)
    outside = tmp_path / "outside"
    (run.path / "tables").rename(outside)
    (run.path / "tables").symlink_to(outside)
    forged_before = {path.name: path.read_bytes() for path in outside.iterdir()}
    (outside / "stamp.json").unlink()

    assert count(run) == 6
    assert {path.name for path in outside.iterdir()} == set(forged_before) - {"stamp.json"}


def test_a_table_that_is_a_link_is_not_read(run, tmp_path):
    count(run)
    path = run.path / "tables" / "phases.parquet"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    assert count(run) == 6
    assert not path.is_symlink()


def test_a_run_that_cannot_be_written_gets_tables_of_its_own_for_a_while(run, monkeypatch):
    monkeypatch.setattr("longpole.store.tables.os.access", lambda *_: False)
    stored = run.open()

    folder = stored.tables.folder
    assert stored.table("phases").rows == 6
    assert not (run.path / "tables").exists()
    assert folder.is_dir()
    stored.close()
    del stored
    assert not folder.exists()


def test_a_disk_that_is_full_gets_tables_elsewhere(run, monkeypatch):
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("longpole.store.tables._write_beside", no_room)

    assert count(run) == 6
    assert not (run.path / "tables").exists()


def test_no_room_anywhere_is_said(run, monkeypatch):
    def no_room(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("longpole.store.tables._write_beside", no_room)
    monkeypatch.setattr("longpole.store.tables.tempfile.mkdtemp", no_room)

    with pytest.raises(DamagedRunError, match=r"no room .* TMPDIR"):
        count(run)


def test_many_readers_at_once_all_see_whole_tables(run):
    failures: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(3):
                assert count(run) == 6
                (run.path / "tables" / "stamp.json").unlink(missing_ok=True)
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()

    assert failures == []
    assert not [path for path in (run.path / "tables").iterdir() if path.is_dir()]


def test_a_table_or_column_that_is_not_there_is_refused(run):
    for name, columns in (
        ("nosuch", None),
        ("phases", ["nosuch"]),
        ("phases; DROP", None),
        ("phases", ["id, 1"]),
    ):
        with pytest.raises(UsageError):
            run.open().table(name, columns)


def test_chosen_columns_alone_are_returned(run):
    found = run.open().table("phases", ["name", "id"])

    assert list(found) == ["name", "id"]
    assert list(found["name"])[:2] == ["made", "p1"]


def test_a_moved_run_keeps_its_tables(run, tmp_path):
    count(run)
    before = written(run)
    moved = run.path.rename(tmp_path / "moved")

    assert open_run(moved).table("phases").rows == 6
    assert {path.name: path.stat().st_mtime_ns for path in (moved / "tables").iterdir()} == before


@pytest.mark.parametrize("name", ["we[i]rd", "st*r", "quo'te", "sp ace", "{x}", "größe"])
def test_a_folder_may_have_any_name(tmp_path, name):
    small_run(tmp_path / "weird")

    assert count(small_run(tmp_path / name)) == 6


def test_a_run_still_going_is_seen_as_far_as_it_is(tmp_path):
    run = HandmadeRun(tmp_path, exit_code=None, makespan_s=None, **RUNNING)
    log = run.log()
    log.process(1)
    log.ring(2, 1)
    log.phase(2, 1, "first", (0, 10))
    log.flush()

    first = run.open()
    assert (first.state.value, first.table("phases").rows) == ("running", 3)
    log.phase(2, 2, "second", (10, 20))
    log.flush()
    assert first.table("phases").rows == 3
    with run.open() as again:
        assert list(again.table("phases")["name"])[2:] == ["first", "second"]
        assert again.reading.problems == ()
    assert not Path(run.path / "tables").exists()
    first.close()
    log.__exit__()


def test_a_log_half_written_at_this_moment_is_no_damage(tmp_path):
    run = HandmadeRun(tmp_path, **RUNNING)
    with run.log() as log:
        log.phase(2, 1, "first", (0, 10))
    (path,) = run.logs()
    os.truncate(path, path.stat().st_size - 20)

    with run.open() as stored:
        assert stored.reading.problems == ()
        assert stored.reading.readable == stored.reading.expected == 5
