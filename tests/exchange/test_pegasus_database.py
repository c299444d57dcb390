"""Databases of strangers: read if they are what they should be, else refused in a sentence."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from longpole.exchange import pegasus_database
from longpole.exchange.pegasus_database import read_database
from longpole.exchange.unreadable import UnreadableFileError
from tests.exchange.foreign import real_trace
from tests.exchange.stampede import database, simple


def refused(content: bytes) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        read_database("wf.db", content)
    said = str(caught.value)
    assert "wf.db" in said
    assert "\n" not in said
    return said


def test_rows_are_read_in_our_units() -> None:
    found = read_database("wf.db", database())

    assert [job.name for job in found.jobs] == ["stage_in_0", "fit_ID1"]
    assert [(one.start_ns, one.took_ns) for one in found.invocations][1] == (1016 * 10**9, 18_250_000_000)
    assert found.invocations[1].peak_bytes == 2048
    assert found.gaps == ()


def test_table_that_is_missing_is_named() -> None:
    assert "no table 'jobstate'" in refused(database(None, "DROP TABLE jobstate"))


def test_column_that_is_missing_is_named() -> None:
    statements = ("DROP TABLE jobstate", "CREATE TABLE jobstate (job_instance_id, state, timestamp)")

    assert "table 'jobstate' has no column 'jobstate_submit_seq'" in refused(database(None, *statements))


def test_column_that_older_databases_lack_is_not_missed() -> None:
    found = read_database("wf.db", database(None, "ALTER TABLE invocation DROP COLUMN maxrss"))

    assert [one.peak_bytes for one in found.invocations] == [None, None]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW job AS SELECT 1 AS job_id, 1 AS wf_id, 'x' AS exec_job_id, 'x' AS type_desc",
        "CREATE VIEW job AS WITH RECURSIVE n(job_id) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT * FROM n",
        "CREATE VIRTUAL TABLE job USING fts5(job_id, wf_id, exec_job_id, type_desc)",
    ],
)
def test_what_only_looks_like_a_table_is_none(statement: str) -> None:
    try:
        content = database(None, "DROP TABLE job", statement)
    except sqlite3.OperationalError as error:
        pytest.skip(f"this SQLite cannot make one: {error}")

    assert "no table 'job'" in refused(content)


def test_column_that_is_computed_is_none() -> None:
    columns = "job_id, wf_id, exec_job_id TEXT AS (job_id || job_id), type_desc"

    said = refused(database({}, "DROP TABLE job", f"CREATE TABLE job ({columns})"))
    assert "no column 'exec_job_id'" in said


def test_trigger_is_never_run() -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON job BEGIN DELETE FROM job; END"

    assert len(read_database("wf.db", database(None, trigger)).jobs) == 2


def test_id_that_is_no_number_is_named() -> None:
    rows = simple()
    rows["job"][0]["job_id"] = "one"

    assert "column 'job_id' of its table 'job' holds 'one', which is no id" in refused(database(rows))


def test_name_that_is_no_text_is_named() -> None:
    rows = simple()
    rows["job"][0]["exec_job_id"] = None

    assert "column 'exec_job_id' of its table 'job'" in refused(database(rows))


def test_ids_may_be_large_and_floats() -> None:
    rows = simple()
    rows["workflow"][0]["wf_id"] = float(1 << 40)

    assert read_database("wf.db", database(rows)).workflows[0].id == 1 << 40


def test_values_that_cannot_be_true_are_left_out_and_counted() -> None:
    rows = simple()
    rows["jobstate"][0]["timestamp"] = -5
    rows["jobstate"][1]["timestamp"] = 1e30
    rows["invocation"][0]["remote_duration"] = "long"

    found = read_database("wf.db", database(rows))

    assert [state.at_ns for state in found.states[:2]] == [None, None]
    first, second = found.gaps
    assert (
        first
        == "2 values of the column 'timestamp' of the table 'jobstate' of wf.db cannot be true: left out."
    )
    assert "1 value of the column 'remote_duration' of the table 'invocation'" in second


def test_text_that_is_no_utf8_is_read() -> None:
    found = read_database(
        "wf.db", database(None, "UPDATE job SET exec_job_id = CAST(x'ff61' AS TEXT) WHERE job_id = 1")
    )

    assert found.jobs[0].name == "\ufffda"


def test_database_with_a_write_ahead_log_is_read(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "wal.db")) as connection:
        connection.deserialize(database())
        with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = WAL")
    content = (tmp_path / "copy.db").read_bytes()

    assert content[18:20] == b"\x02\x02"
    assert len(read_database("wf.db", content).jobs) == 2


@pytest.mark.parametrize("content", [b"", b"SQLite format 3", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_what_is_no_database_is_refused(content: bytes) -> None:
    refused(content)


def test_flipped_bytes_are_refused_or_read() -> None:
    whole = bytearray(database())
    for at in range(16, len(whole), 97):
        damaged = bytes(whole[:at]) + bytes([whole[at] ^ 0xFF]) + bytes(whole[at + 1 :])
        try:
            read_database("wf.db", damaged)
        except UnreadableFileError:
            pass


def test_tree_of_pages_that_never_ends_is_given_up() -> None:
    """Every child of an interior page is made the page of rows: the same rows come again and again."""
    rows = simple()
    rows["jobstate"] = rows["jobstate"] * 2000
    content = bytearray(database(rows))
    page = int.from_bytes(content[16:18], "big")
    for start in range(0, len(content), page):
        if content[start] == 0x05:  # interior, of a table
            cells = int.from_bytes(content[start + 3 : start + 5], "big")
            for cell in range(cells):
                at = start + int.from_bytes(content[start + 12 + 2 * cell : start + 14 + 2 * cell], "big")
                content[at : at + 4] = (start // page + 1).to_bytes(4, "big")  # itself
    refused(bytes(content))


def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pegasus_database, "_STEPS_AT_ONCE", 1)
    monkeypatch.setattr(pegasus_database, "_STEPS_PER_BYTE", 0)

    assert "interrupted" in refused(database())


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("pegasus/hierarchical*.db", (2, 7, 28, 37, 50)),
        ("pegasus/process*.db", (1, 1, 5, 4, 6)),
    ],
)
def test_real_databases_have_their_rows(name: str, counts: tuple[int, ...]) -> None:
    file = real_trace(name)

    found = read_database(file.name, file.read())

    every = (found.workflows, found.tasks, found.jobs, found.job_edges, found.invocations)
    assert tuple(len(some) for some in every) == counts
